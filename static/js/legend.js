/** The choice of a layer, and what its colours mean. */

import { byId, element, setText } from "./dom.js";
import { LAYERS, layerOf } from "./layers.js";

export class Legend {
  /** @param {(layer: import("./layers.js").Layer) => void} choose */
  constructor(choose) {
    this.layer = LAYERS[0];
    this.choose = choose;
    this.where = byId("legend");
    /** @type {Map<string, HTMLInputElement>} */
    this.inputs = new Map();
    for (const layer of LAYERS) byId("layers").append(this.#choice(layer));
  }

  /** Show a layer's colours; whoever chose it. @param {string} id */
  mark(id) {
    this.layer = layerOf(id);
    const input = this.inputs.get(this.layer.id);
    if (input) input.checked = true;
    document.documentElement.dataset.layer = this.layer.id;
    setText(byId("layer-name"), this.layer.name);
    const isPlain = this.layer === LAYERS[0];
    byId("legend-plain").hidden = !isPlain;
    byId("legend-scale").hidden = isPlain;
    const classes = this.layer.classes.map((text, shade) => [String(shade), text]);
    byId("legend-scale").replaceChildren(...[...classes, ["none", "no reading"]].map(([shade, text]) => entry(shade, text)));
    setText(byId("legend-note"), this.layer.note);
  }

  #choice(/** @type {import("./layers.js").Layer} */ layer) {
    const input = /** @type {HTMLInputElement} */ (element("input", { type: "radio", name: "layer", value: layer.id }));
    input.addEventListener("change", () => this.choose(layer));
    this.inputs.set(layer.id, input);
    return element("label", { class: "layer" }, input, element("span", {}, layer.name));
  }
}

/** @param {string} shade @param {string} text */
function entry(shade, text) {
  return element("li", {}, element("span", { class: "key key-shade", "data-shade": shade }), text);
}
