/** Planes, in metres: x to the right, y up. */

/** @typedef {number[]} Place */

/** @param {Place} a @param {Place} b @returns {Place} */
export const from = (a, b) => [b[0] - a[0], b[1] - a[1]];

/** @param {Place} v */
export const lengthOf = (v) => Math.hypot(v[0], v[1]);

/** Degrees from one direction to another: left is positive, at most a half turn. @param {Place} a @param {Place} b */
export function turnOf(a, b) {
  const angle = (Math.atan2(b[1], b[0]) - Math.atan2(a[1], a[0])) * (180 / Math.PI);
  return ((angle + 540) % 360) - 180;
}

/** How far along a stretch, and how far to its left, a place is. @param {Place} a @param {Place} b @param {Place} place */
export function besides(a, b, place) {
  const [along, off] = [from(a, b), from(a, place)];
  const length = lengthOf(along) || 1;
  return { along: (off[0] * along[0] + off[1] * along[1]) / length, left: (along[0] * off[1] - along[1] * off[0]) / length, length };
}

/** @param {Place[]} ring @param {Place} place */
export function isInside(ring, [x, y]) {
  let inside = false;
  for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
    const [[xi, yi], [xj, yj]] = [ring[i], ring[j]];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside;
  }
  return inside;
}

/** @param {Place[]} corners @returns {Place} */
export function middleOf(corners) {
  const [first, last] = [corners[0], corners[corners.length - 1]];
  const own = corners.length > 1 && first[0] === last[0] && first[1] === last[1] ? corners.slice(1) : corners;
  return [0, 1].map((axis) => own.reduce((sum, corner) => sum + corner[axis], 0) / own.length);
}
