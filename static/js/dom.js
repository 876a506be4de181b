/**
 * Elements with text in them. Whatever comes from outside becomes a text node, never markup;
 * nothing in these modules assigns markup from a string.
 */

/**
 * @param {string} tag
 * @param {Record<string, string | boolean | ((event: Event) => void)>} [attributes]
 * @param {...(Node | string | null)} children
 * @returns {HTMLElement}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (typeof value === "boolean") made.toggleAttribute(name, value);
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/** Change text only where it differs, so that a reader is not told the same again. @param {Element} where @param {string} text */
export function setText(where, text) {
  if (where.textContent !== text) where.textContent = text;
}

/** Set data-… attributes, touching only those that differ. @param {HTMLElement | SVGElement} where @param {Record<string, string>} values */
export function mark(where, values) {
  for (const [name, value] of Object.entries(values)) {
    if (where.dataset[name] !== value) where.dataset[name] = value;
  }
}

/** Run `action` at most once a frame. @param {() => void} action @returns {() => void} */
export function oncePerFrame(action) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      action();
    });
  };
}
