/** Rings of corners: is a place inside, and how large is it. */

/** Whether a ray to the right crosses a ring an odd number of times. @param {number[][]} ring @param {number} x @param {number} y */
export function isInside(ring, x, y) {
  let inside = false;
  ring.forEach(([ax, ay], at) => {
    const [bx, by] = ring[(at + 1) % ring.length];
    if (ay > y !== by > y && x < ax + ((y - ay) * (bx - ax)) / (by - ay)) inside = !inside;
  });
  return inside;
}

/** @param {number[][]} ring */
export const areaOf = (ring) => Math.abs(ring.reduce((sum, [ax, ay], at) => sum + ax * ring[(at + 1) % ring.length][1] - ring[(at + 1) % ring.length][0] * ay, 0)) / 2;
