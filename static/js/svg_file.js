/** A picture of the page as a file of its own: the colours and letters that the style sheets give it stand in it. */

const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-weight", "font-family"];

/** @param {SVGElement} picture in the page @returns {string} */
export function svgFile(picture) {
  const copy = /** @type {SVGElement} */ (picture.cloneNode(true));
  const [shown, copied] = [picture, copy].map((each) => [each, ...each.querySelectorAll("*")]);
  shown.forEach((each, nth) => {
    const style = getComputedStyle(each);
    for (const name of STYLES) copied[nth].setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "tabindex", "role"]) copied[nth].removeAttribute(name);
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.prepend(ground(getComputedStyle(/** @type {Element} */ (picture.parentElement)).backgroundColor));
  return new XMLSerializer().serializeToString(copy);
}

/** @param {string} colour */
function ground(colour) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({ width: "100%", height: "100%", fill: colour })) made.setAttribute(name, value);
  return made;
}
