// A map of a scene, or several that move together, with a tooltip for the diagrams under the pointer.

import L from "../vendor/leaflet.js";
import { element, swatch } from "./elements.js";
import { icon } from "./icons.js";
import { Labels } from "./labels.js";
import { lookOf } from "./paint.js";
import { Shapes } from "./tiles.js";
import { vectorLayer } from "./vectors.js";
import { hits, turnedTo, turnsTo } from "./world.js";

/** @import { Scene, Basemap, DiagramShape } from "./scene.js" */
/** @import { Box } from "./world.js" */

// Pixels between the pointer and a line that it still hits.
const REACH = 6;
const MAX_TIPS = 4;
// A transparent picture of one pixel, for places where a basemap has no tile.
const NO_TILE = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

/** Texts of a map, which a page can replace by those of another language. */
export const MAP_TEXTS = {
  map: "Map", showAll: "Show everything", zoomIn: "Zoom in", zoomOut: "Zoom out", noChange: "constraints: no change here", north: "N",
  more: (/** @type {number} */ count) => `${count} more here`,
  labelled: (/** @type {string} */ name, /** @type {string} */ text) => `${name}: ${text}`,
};

/** Pixels at each side of a map that something else covers. @typedef {{left: number, top: number, right: number, bottom: number}} Covered */
const NOTHING = { left: 0, top: 0, right: 0, bottom: 0 };

/**
 * One map of several.
 * @typedef {object} View
 * @property {any} map of Leaflet
 * @property {Set<number> | null} members the diagrams that it shows; null for all
 * @property {any} layer
 * @property {any} labels
 * @property {any} marks
 * @property {any} pins marks that stay
 */

export class MapOfScene {
  /**
   * @param {HTMLElement} holder where the maps are drawn
   * @param {Scene} scene
   * @param {{title?: string, facts?: string, members?: Iterable<number> | null}[]} views one map, or several side by side
   * @param {{texts?: typeof MAP_TEXTS, tap?: (numbers: number[]) => void, host?: HTMLElement, covered?: () => Covered}} [options]
   * `tap` receives the diagrams at a click, small ones first; `host` holds the tooltip, above all else; `covered` returns what a page
   * lays over the map
   */
  constructor(holder, scene, views, { texts = MAP_TEXTS, tap, host = document.body, covered = () => NOTHING } = {}) {
    this.holder = holder;
    this.scene = scene;
    this.texts = texts;
    this.tap = tap;
    this.covered = covered;
    /** True once a person has moved the map. Until then it shows everything, whatever size the page has. */
    this.isMoved = false;
    this.look = lookOf(holder);
    this.isPointing = true;
    /** @type {View[]} */
    this.views = [];
    /** Functions that draw basemaps of vector tiles in other colours. @type {((look: import("./paint.js").Look) => void)[]} */
    this.redrawn = [];
    this.moving = false;
    this.marked = "";
    this.tip = element("div", { className: "tip", hidden: true });
    host.append(this.tip);
    const count = views.length;
    const columns = count < 4 ? count : Math.ceil(Math.sqrt(count));
    holder.style.setProperty("--columns", String(columns));
    for (const settings of views) this.addView(settings, count > 1);
    for (const view of this.views) view.map.on("move zoomend", () => this.follow(view));
    this.showAll();
    for (const view of this.views) {
      view.layer.addTo(view.map);
      view.labels.addTo(view.map);
      view.pins.addTo(view.map);
      view.marks.addTo(view.map);
      view.map.on("mousemove click", (/** @type {any} */ event) => this.point(view, event));
      view.map.on("mouseout movestart zoomstart", () => this.leave());
      view.map.on("dragstart zoomstart", () => (this.isMoved = true));
    }
    // A notebook may give the page its size late.
    this.resized = new ResizeObserver(() => {
      // A map that is hidden for a while keeps its place.
      if (!holder.offsetWidth) return;
      for (const view of this.views) view.map.invalidateSize({ animate: false });
      this.settle();
    });
    this.resized.observe(holder);
  }

  /** Removes the maps. */
  remove() {
    this.resized.disconnect();
    this.tip.remove();
    for (const view of this.views) view.map.remove();
    this.holder.replaceChildren();
  }

  /** @param {{title?: string, facts?: string, members?: Iterable<number> | null}} settings @param {boolean} isLinked */
  addView({ title, facts, members }, isLinked) {
    const place = element("div", { className: "map" });
    const name = title ? element("h2", {}, title, facts ? element("span", {}, facts) : null) : null;
    this.holder.append(element("section", { className: "view" }, name, place));
    const { texts, scene } = this;
    const map = L.map(place, {
      attributionControl: false, zoomControl: false, zoomSnap: 0.25, zoomAnimation: !isLinked, inertia: !isLinked, minZoom: 1, maxZoom: 20,
      worldCopyJump: false,
    });
    place.setAttribute("aria-label", title ? texts.labelled(texts.map, title) : texts.map);
    place.setAttribute("role", "region");
    if (scene.basemap?.vector) void this.addVectors(map, scene.basemap);
    else if (scene.basemap) tilesOf(scene.basemap).addTo(map);
    const zoom = L.control.zoom({ position: "topleft", zoomInTitle: texts.zoomIn, zoomOutTitle: texts.zoomOut, zoomInText: "", zoomOutText: "" }).addTo(map);
    zoom.getContainer().firstElementChild.append(icon("Plus"));
    zoom.getContainer().lastElementChild.append(icon("Minus"));
    const home = element("a", { href: "#", title: texts.showAll, role: "button", ariaLabel: texts.showAll }, icon("Maximize"));
    L.DomEvent.on(home, "click", (/** @type {any} */ event) => {
      L.DomEvent.stop(event);
      this.showAll();
    });
    zoom.getContainer().append(home);
    L.control.scale({ metric: scene.units === "metric", imperial: scene.units !== "metric", maxWidth: 110 * (this.look.bold ?? 1) }).addTo(map);
    const north = new L.Control({ position: "bottomleft" });
    north.onAdd = () => element("div", { className: "north", textContent: `▲ ${this.texts.north}` });
    north.addTo(map);
    /** @type {View} */
    const view = { map, members: members ? new Set(members) : null, marks: L.featureGroup(), pins: L.featureGroup(), layer: null, labels: null };
    view.layer = new Shapes(scene, view, () => this.look);
    view.labels = new Labels(scene, view, () => this.look);
    this.views.push(view);
  }

  /** Adds a basemap of vector tiles once its library is loaded. @param {any} map @param {Basemap} basemap */
  async addVectors(map, basemap) {
    const { layer, redraw } = await vectorLayer(basemap, this.look, this.scene.places.length > 0);
    // Meanwhile the map may have been removed.
    if (!map.getPane("tilePane")) return;
    layer.addTo(map);
    this.redrawn.push(redraw);
  }

  showAll() {
    this.fit(this.scene.bounds);
  }

  /** Shows everything again, unless a person has moved the map. */
  settle() {
    if (!this.isMoved) this.showAll();
  }

  /** @param {number[]} bounds west, south, east, north, in degrees */
  fit([west, south, east, north], maxZoom = 20) {
    // A page may have no size yet. Leaflet keeps the first size that it is asked for, until it shows something.
    if (this.views.some(({ map }) => !map.getContainer().clientWidth || !map.getContainer().clientHeight)) return;
    // The others follow. Titles of several lines leave some views less height than others.
    const [smallest] = [...this.views].sort((a, b) => a.map.getSize().y - b.map.getSize().y);
    const { isMoved } = this;
    const { left, top, right, bottom } = this.covered();
    const margins = { paddingTopLeft: [10 + left, 10 + top], paddingBottomRight: [10 + right, (bottom || 20) + 10], animate: false, maxZoom };
    smallest.map.fitBounds([[south, west], [north, east]], margins);
    // This was no person.
    this.isMoved = isMoved;
  }

  /** Whether a rectangle of the world is in view, and large enough to be seen. @param {Box} box */
  isInView(box) {
    const { map } = this.views[0];
    const size = 256 * 2 ** map.getZoom();
    const { west, north, east, south } = turnedTo(box, middleOf(map));
    const { min, max } = map.getPixelBounds();
    const { left, top, right, bottom } = this.covered();
    return west * size >= min.x + left && east * size <= max.x - right && north * size >= min.y + top && south * size <= max.y - bottom &&
      Math.max(east - west, south - north) * size > 20;
  }

  /** Shows another scene, without moving. @param {Scene} scene */
  change(scene) {
    this.scene = scene;
    for (const view of this.views) view.layer.scene = view.labels.scene = scene;
    this.repaint();
  }

  /** @param {View} source */
  follow(source) {
    if (this.moving) return;
    this.moving = true;
    for (const view of this.views) {
      if (view !== source) view.map.setView(source.map.getCenter(), source.map.getZoom(), { animate: false });
    }
    this.moving = false;
  }

  /** Repaints a rectangle of the world, or everything. @param {Box} [box] */
  repaint(box) {
    this.leave();
    for (const view of this.views) {
      view.layer.repaint(box);
      view.labels.redraw();
    }
  }

  /** Repaints after the page's theme has changed between light and dark. */
  lookAnew() {
    this.look = lookOf(this.holder);
    for (const redraw of this.redrawn) redraw(this.look);
    this.repaint();
  }

  /** @param {View} view @param {any} event */
  point(view, event) {
    if (!this.isPointing) return;
    const { scene, texts } = this;
    const world = view.map.project(event.latlng, 0).divideBy(256);
    const reach = REACH / (256 * 2 ** view.map.getZoom());
    world.x -= Math.floor(world.x);
    const found = hits(scene.shapes, world.x, world.y, reach).filter((hit) => scene.isShown(hit, view.members));
    // Small shapes first, which large ones might cover in a list that is limited.
    found.sort((a, b) => extent(a) - extent(b));
    const numbers = [...new Set(found.map((hit) => hit.number))];
    if (event.type === "click" && this.tap) {
      this.leave();
      this.tap(numbers);
      return;
    }
    const items = numbers.slice(0, MAX_TIPS).map((number) => this.about(number));
    if (numbers.length > MAX_TIPS) items.push(element("div", { className: "quiet" }, texts.more(numbers.length - MAX_TIPS)));
    const land = [];
    const evaluation = scene.evaluations[scene.shown.evaluation];
    if (evaluation) {
      for (const hit of hits(evaluation.shapes, world.x, world.y, 0)) land.push(texts.labelled(evaluation.name, `${evaluation.classes[hit.kind].name}${hit.why ? ` (${hit.why})` : ""}`));
    }
    if (scene.shown.constraints && hits(scene.constraints, world.x, world.y, 0).length) land.push(texts.noChange);
    if (land.length) items.push(element("div", { className: "quiet" }, [...new Set(land)].join(" · ")));
    this.mark(numbers.slice(0, MAX_TIPS));
    this.tip.replaceChildren(...items);
    this.tip.hidden = !items.length;
    if (items.length) beside(this.tip, event.originalEvent);
  }

  /** @param {number} number */
  about(number) {
    const diagram = this.scene.diagrams.get(number);
    if (!diagram) return element("div");
    const { id, title, facts, system } = diagram;
    const [first, ...others] = title || id !== null ? [title || `Diagram ${id}`, ...facts] : facts;
    const head = element("b", {}, swatch(this.scene.systems[system].color, "i"), first || "");
    return element("div", {}, head, ...others.map((text) => element("span", {}, text)));
  }

  /**
   * Marks diagrams in every view that has them, so that designs can be compared.
   * @param {number[]} numbers
   */
  mark(numbers) {
    const key = numbers.join();
    if (key === this.marked) return;
    this.marked = key;
    for (const view of this.views) {
      view.marks.clearLayers();
      for (const found of this.scene.shapes) {
        if (numbers.includes(found.number) && this.scene.isShown(found, view.members)) view.marks.addLayer(outline(view.map, found, this.look.ink));
      }
    }
  }

  /**
   * Marks diagrams with a dashed outline in every view that has them, until others are marked in this way.
   * @param {number[]} numbers
   */
  pin(numbers) {
    const wanted = new Set(numbers);
    for (const view of this.views) {
      view.pins.clearLayers();
      for (const found of this.scene.shapes) {
        if (wanted.has(found.number) && this.scene.isShown(found, view.members)) view.pins.addLayer(outline(view.map, found, this.look.ink, "2 6"));
      }
    }
  }

  leave() {
    this.tip.hidden = true;
    this.mark([]);
  }
}

/** The middle of a map in world coordinates; below 0 or above 1 beyond the date line. @param {any} map @returns {number} */
const middleOf = (map) => map.project(map.getCenter(), 0).x / 256;

/** @param {DiagramShape} found */
const extent = (found) => (found.isLine || found.isPoint ? 0 : (found.east - found.west) * (found.south - found.north));

/** @param {any} map @param {DiagramShape} found @param {string} color @param {string} [dashArray] */
function outline(map, found, color, dashArray) {
  const turns = turnsTo(found, middleOf(map));
  const corners = found.lines.map((line) => {
    const ends = [];
    for (let index = 0; index < line.length; index += 2) ends.push(map.unproject([(line[index] + turns) * 256, line[index + 1] * 256], 0));
    return ends;
  });
  const look = { color, weight: 2.5, fillOpacity: 0.12, interactive: false, dashArray };
  if (found.isPoint) return L.circleMarker(corners[0][0], { ...look, radius: 9 });
  return found.isLine ? L.polyline(corners, { ...look, weight: 5, fill: false }) : L.polygon(corners, look);
}

/** @param {HTMLElement} tip @param {MouseEvent} event */
function beside(tip, { clientX, clientY }) {
  const { offsetWidth: width, offsetHeight: height } = tip;
  const left = clientX + 14 + width > innerWidth ? clientX - 14 - width : clientX + 14;
  const top = clientY + 14 + height > innerHeight ? clientY - 14 - height : clientY + 14;
  tip.style.left = `${Math.max(4, Math.min(left, innerWidth - width - 4))}px`;
  tip.style.top = `${Math.max(4, Math.min(top, innerHeight - height - 4))}px`;
}

/** Tiles of a server, or those that the page has. @param {Basemap} basemap */
function tilesOf({ url, tiles, min_zoom: minNativeZoom, max_zoom: maxNativeZoom }) {
  if (!tiles) return L.tileLayer(url || "", { minNativeZoom, maxNativeZoom, maxZoom: 20, errorTileUrl: NO_TILE });
  const layer = L.tileLayer("", { minNativeZoom, maxNativeZoom, maxZoom: 20 });
  layer.getTileUrl = (/** @type {{x: number, y: number, z: number}} */ { x, y, z }) => tiles[`${z}/${x}/${y}`] || NO_TILE;
  return layer;
}
