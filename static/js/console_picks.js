/** Select boxes in a line: what is picked, and what there is to pick from. */

import { element } from "./dom.js";

/** @typedef {readonly [string, string]} Option what it is called here, and by people */

export class Picks {
  /** @param {HTMLElement} where @param {readonly Option[]} names of the boxes, in their order @param {(name: string, value: string) => void} picked */
  constructor(where, names, picked) {
    /** @type {Map<string, HTMLSelectElement>} */
    this.boxes = new Map();
    for (const [name, title] of names) {
      const box = /** @type {HTMLSelectElement} */ (element("select", { name, change: () => picked(name, box.value) }));
      this.boxes.set(name, box);
      where.append(element("label", {}, element("span", {}, title), box));
    }
  }

  /** @param {string} name @param {Option[]} options @param {string} value @param {boolean} [isOf] whether it says anything now */
  offer(name, options, value, isOf = true) {
    const box = /** @type {HTMLSelectElement} */ (this.boxes.get(name));
    const isSame = options.length === box.options.length && options.every(([each, text], at) => box.options[at].value === each && box.options[at].text === text);
    if (!isSame) box.replaceChildren(...options.map(([each, text]) => element("option", { value: each }, text)));
    if (box.value !== value) box.value = value;
    /** @type {HTMLElement} */ (box.parentElement).hidden = !isOf;
  }
}

/** Columns as options. @param {{name: string}[]} columns @param {(at: number) => boolean} [wanted] @returns {Option[]} */
export const columnOptions = (columns, wanted = () => true) => columns.flatMap(({ name }, at) => (wanted(at) ? [/** @type {Option} */ ([String(at), name])] : []));
