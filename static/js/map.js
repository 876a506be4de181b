/**
 * The plan on screen: Leaflet in metres (CRS.Simple; x to the right, y up), one floor at a time.
 *
 * What stands still is drawn here; rooms, desks, doors, ways and people, which change, draw themselves into their panes.
 * On an upright screen a wide building is turned a quarter to the right, so that it fills the screen.
 */

/** Up to this width the controls lie above and below the plan, not beside it. */
const NARROW = 820;
const PANES = ["ground", "rooms", "doors", "desks", "machines", "ways", "people", "labels"];

export class Plan {
  /** @param {HTMLElement} where @param {import("./building.js").Building} building */
  constructor(where, building) {
    this.building = building;
    this.map = L.map(where, {
      crs: L.CRS.Simple,
      zoomSnap: 0.1,
      zoomDelta: 0.5,
      minZoom: 1,
      maxZoom: 6.5,
      wheelPxPerZoomLevel: 120,
      maxBoundsViscosity: 0.8,
      fadeAnimation: false,
      attributionControl: false,
      zoomControl: false,
    });
    L.control.zoom({ position: "bottomright" }).addTo(this.map);
    /** @type {Record<string, any>} */
    this.renderers = {};
    PANES.forEach((name, i) => {
      this.map.createPane(name).style.zIndex = String(400 + 10 * i);
      this.renderers[name] = L.svg({ pane: name, padding: 0.5 });
    });
    this.ground = L.layerGroup().addTo(this.map);
    /** @type {((floor: import("./building.js").Floor) => void)[]} */
    this.drawers = [];
    this.floor = building.floors[0];
    this.corners = building.floors.flatMap((f) => f.features.flatMap(cornersOf));
    this.turned = false;
    /** pixels that are left free below the plan where controls lie beside it */
    this.below = 22;
    this.map.on("resize", () => this.#turn());
    this.#turn();
    new ResizeObserver(() => this.map.invalidateSize({ pan: false })).observe(where);
  }

  /** Where a point of the building is on the screen's plane, in metres. @param {number[]} point @returns {[number, number]} */
  place([x, y]) {
    return this.turned ? [y, -x] : [x, y];
  }

  /** The same for Leaflet, which wants the height first. @param {number[]} point @returns {[number, number]} */
  at(point) {
    const [x, y] = this.place(point);
    return [y, x];
  }

  #turn() {
    const { x: width, y: height } = this.map.getSize();
    const turned = height > width;
    const redraw = this.bounds !== undefined && turned !== this.turned;
    this.turned = turned;
    this.bounds = L.latLngBounds(this.corners.map((corner) => this.at(corner)));
    this.map.setMaxBounds(this.bounds.pad(0.8));
    if (!redraw) return;
    this.fit();
    this.show(this.floor.floor);
  }

  /** Draw a path into a pane. @param {string} pane @param {string} kind class name @param {any} geometry */
  path(pane, kind, geometry, interactive = false) {
    const options = { pane, renderer: this.renderers[pane], className: kind, interactive, bubblingMouseEvents: false };
    const points = geometry.coordinates;
    const line = (/** @type {number[][]} */ corners) => corners.map((corner) => this.at(corner));
    return geometry.type === "LineString" ? L.polyline(line(points), options) : L.polygon(points.map(line), options);
  }

  /** @param {(floor: import("./building.js").Floor) => void} drawer called whenever a floor is shown */
  onShow(drawer) {
    this.drawers.push(drawer);
  }

  /** @param {number} number */
  show(number) {
    this.floor = this.building.floors.find((floor) => floor.floor === number) ?? this.building.floors[0];
    this.ground.clearLayers();
    for (const feature of this.floor.features) this.#standing(feature);
    for (const draw of this.drawers) draw(this.floor);
  }

  fit() {
    const narrow = this.map.getSize().x <= NARROW;
    const margins = narrow
      ? { paddingTopLeft: [14, 58], paddingBottomRight: [14, 48] }
      : { paddingTopLeft: [22, 22], paddingBottomRight: [22, this.below] };
    this.map.fitBounds(this.bounds, { ...margins, animate: false });
  }

  /** Bring a room into sight, moving no more than needed. @param {import("./building.js").Room} room @param {number} covered pixels at the bottom */
  reveal(room, covered) {
    this.#panTo(L.latLngBounds(room.rings[0].map((corner) => this.at(corner))).getCenter(), covered);
  }

  /** Bring a point into sight and ring it, until another is or the floor is left. @param {number[]} point @param {number} covered pixels at the bottom */
  point(point, covered) {
    this.ring?.remove();
    const options = { pane: "people", renderer: this.renderers.people, className: "ring", radius: 16, interactive: false };
    this.ring = L.circleMarker(this.at(point), options);
    this.ground.addLayer(this.ring);
    this.#panTo(L.latLng(this.at(point)), covered);
  }

  #panTo(/** @type {any} */ middle, /** @type {number} */ covered) {
    this.map.panInside(middle, { paddingTopLeft: [60, 90], paddingBottomRight: [60, 50 + covered] });
  }

  #standing(/** @type {any} */ { properties, geometry }) {
    const pane = { floor: "ground", corridor: "ground", stairs: "ground", elevator: "ground", door: "doors" }[
      /** @type {string} */ (properties?.kind)
    ];
    if (pane) this.ground.addLayer(this.path(pane, properties.kind, geometry));
    if (properties?.kind === "floor") {
      for (const hole of geometry.coordinates.slice(1)) {
        this.ground.addLayer(this.path("ground", "courtyard", { coordinates: [hole] }));
      }
    }
    if (properties?.kind === "entrance") this.#entrance(properties, geometry);
  }

  #entrance(/** @type {any} */ properties, /** @type {any} */ geometry) {
    const icon = L.divIcon({ className: "entrance", iconSize: [12, 12] });
    const marker = L.marker(this.at(geometry.coordinates), { icon, pane: "doors", keyboard: false });
    const name = document.createTextNode(String(properties.name ?? "Entrance"));
    const tip = document.createElement("span");
    tip.append(name);
    this.ground.addLayer(marker.bindTooltip(tip, { direction: "top", offset: [0, -6] }));
  }
}

/** @param {any} feature @returns {number[][]} */
function cornersOf({ properties, geometry }) {
  return properties?.kind === "floor" ? geometry.coordinates[0] : [];
}
