// The map of the room: a scene that follows the project.

import L from "../vendor/leaflet.js";
import { element } from "../map/elements.js";
import { LEGEND_TEXTS, legend } from "../map/legend.js";
import { MAP_TEXTS, MapOfScene } from "../map/map.js";
import { Scene } from "../map/scene.js";
import { around, fromGeometry, turnedTo, worldX, worldY } from "../map/world.js";
import { CLASSES, classColor, classOf, classWord } from "./evaluation_classes.js";
import { labelled, money, sizes, t } from "./texts.js";

/** @import { Project } from "./project.js" */
/** @import { Diagram } from "./diagram.js" */

/** Colours of classes, for evaluation maps whose features have no colour. */

export class RoomMap {
  /**
   * @param {Project} project @param {HTMLElement} holder @param {HTMLElement} panel of the legend
   * @param {{patterns: {path: string}[], basemap: any, home: URL, tap: (ids: number[]) => void, host?: HTMLElement, views?: {title: string, members: number[]}[],
   * covered?: () => import("../map/map.js").Covered}} settings `host` holds the tooltip; with `views`, each of them has a map; `covered` returns what lies over it
   */
  constructor(project, holder, panel, { patterns, basemap, home, tap, host, views, covered }) {
    this.project = project;
    this.holder = holder;
    this.panel = panel;
    this.patterns = patterns;
    this.basemap = basemap && { url: `${new URL("basemap/", home).href}{z}/{x}/{y}`, ...basemap };
    this.tap = tap;
    this.host = host;
    this.fixedViews = views;
    this.covered = covered;
    /** @type {Map<number, number>} places of systems in the list, by their ids */
    this.places = new Map();
    /** @type {Map<number, any>} data layers that are shown, by their ids */
    this.layers = new Map();
    this.scene = this.newScene();
    this.map = this.newMap();
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.closing = new AbortController();
    this.dark.addEventListener("change", () => {
      this.map.lookAnew();
      this.showLegend();
    }, { signal: this.closing.signal });
    project.addEventListener("diagrams", (event) => this.changed(/** @type {CustomEvent} */ (event).detail));
    project.addEventListener("costs", (event) => this.noteFacts(/** @type {CustomEvent} */ (event).detail));
    project.addEventListener("about", () => this.showMembers());
    project.addEventListener("selection", () => {
      if (project.about.kind === "selection") this.showMembers();
    });
    project.addEventListener("reread", () => {
      const { scene: { shown }, places } = this;
      this.scene = this.newScene();
      // Switches stay as they are.
      const now = { ...shown, systems: project.systems.map(({ id }) => shown.systems[places.get(id) ?? -1] ?? true), evaluation: -1 };
      for (const [id, place] of this.places) if (places.get(id) === shown.evaluation) now.evaluation = place;
      this.scene.shown = now;
      this.map.change(this.scene);
      this.showLegend();
      void this.switched();
      this.dispatch?.();
    });
  }

  /** @type {(() => void) | undefined} called when there is another scene */
  dispatch;

  newScene() {
    const { project } = this;
    this.places = new Map(project.systems.map(({ id }, place) => [id, place]));
    const shapes = (/** @type {any} */ collection) => (collection?.features ?? []).flatMap((/** @type {any} */ { geometry }) => fromGeometry(geometry));
    const scene = new Scene({
      systems: project.systems.map(({ id, name, color }) => ({ name, color, pattern: this.patterns[id % this.patterns.length]?.path || "" })),
      legend: t("systems"), bounds: project.bounds, boundary: shapes(project.boundaries), constraints: shapes(project.constraints),
      // Maps are read once they are chosen.
      evaluations: project.systems.map(({ name }) => ({ name, classes: [], shapes: [] })), basemap: this.basemap, ...contextOf(project.context),
    });
    scene.add([...project.diagrams.values()].filter(({ sysid }) => this.places.has(sysid)).map((diagram) => this.entry(diagram)));
    return scene;
  }

  newMap() {
    const { members } = this.project;
    const texts = { ...MAP_TEXTS, map: t("map"), showAll: t("showAll"), zoomIn: t("zoomIn"), zoomOut: t("zoomOut"), noChange: t("noChangeHere"),
      north: t("north"), more: (/** @type {number} */ count) => t("moreHere", { count }), labelled };
    const map = new MapOfScene(this.holder, this.scene, this.fixedViews ?? [{ members }], { texts, tap: (ids) => this.tap(ids), host: this.host, covered: this.covered });
    this.showLegend(map);
    if (this.basemap?.credits) creditsOf(this.basemap.credits).addTo(map.views[map.views.length - 1].map);
    return map;
  }

  showLegend(map = this.map) {
    const { scene } = this;
    const texts = { ...LEGEND_TEXTS, all: t("all"), none: t("none"), others: t("alsoOnMap"), projects: t("projects"), policies: t("policies"),
      boundary: t("studyArea"), constraints: t("constraints"), context: t("context"), evaluation: t("evaluationMap"), strength: t("strength") };
    this.panel.replaceChildren(...legend(scene, map.look, () => void this.switched(), texts));
    const credits = [this.basemap?.credits, ...this.project.layers.map(({ attribution }) => attribution)].filter(Boolean);
    if (this.basemap?.credits) this.panel.append(element("p", { className: "quiet" }, credits[0]));
  }

  /** Redraws after a switch of the legend; an evaluation map may have to be read first. */
  async switched() {
    const number = this.scene.shown.evaluation;
    const evaluation = this.scene.evaluations[number];
    if (evaluation && !evaluation.classes.length) await this.readEvaluation(number);
    this.map.repaint();
  }

  /** Shows the evaluation map of a system, or none. @param {number} sysid */
  async showEvaluation(sysid) {
    this.scene.shown.evaluation = this.places.get(sysid) ?? -1;
    await this.switched();
    this.showLegend();
  }

  /** @param {number} number */
  async readEvaluation(number) {
    const { scene } = this;
    let found;
    try {
      found = await this.project.evaluation(this.project.systems[number].id);
    } catch {
      // It is requested again when it is chosen again.
      return;
    }
    /** @type {Map<string, number>} */
    const kinds = new Map();
    const evaluation = scene.evaluations[number];
    // It may have been requested twice.
    Object.assign(evaluation, { classes: [], shapes: [] });
    const place = (/** @type {any} */ feature) => CLASSES.indexOf(classOf(feature.properties.areatype ?? ""));
    const features = [...found.features].sort((a, b) => place(a) - place(b));
    for (const { properties, geometry } of features) {
      const name = properties.areatype ?? "";
      if (!kinds.has(name)) {
        kinds.set(name, evaluation.classes.length);
        evaluation.classes.push({ name: classWord(name), color: properties.color || classColor(name) });
      }
      for (const shape of fromGeometry(geometry)) evaluation.shapes.push({ ...shape, kind: kinds.get(name) ?? 0, why: properties.why });
    }
    if (!evaluation.classes.length) evaluation.classes.push({ name: t("noEvaluation"), color: "transparent" });
    this.showLegend();
  }

  /** @param {Diagram} diagram @returns {[number, import("../map/scene.js").Diagram, import("../map/world.js").Shape[]]} */
  entry(diagram) {
    return [diagram.id, {
      id: diagram.id, system: this.places.get(diagram.sysid) ?? 0, policy: diagram.policy, title: diagram.title, facts: this.facts(diagram),
    }, diagram.shapes];
  }

  /** @param {Diagram} diagram */
  facts(diagram) {
    const { project } = this;
    const system = project.systems.find(({ id }) => id === diagram.sysid)?.name;
    const figures = project.figures.get(diagram.id);
    const size = sizes(figures ?? {});
    const lines = [
      [system, t(diagram.policy ? "policy" : "project"), diagram.author],
      [size, figures?.cost === null || figures === undefined ? "" : money(figures.cost)],
    ];
    return lines.map((line) => line.filter(Boolean).join(" · ")).filter(Boolean);
  }

  /** @param {{changed: number[], removed: number[], box: any}} change */
  changed({ changed, removed, box }) {
    const { project, scene } = this;
    scene.remove(removed);
    scene.add(changed.flatMap((id) => {
      const diagram = project.diagrams.get(id);
      return diagram && this.places.has(diagram.sysid) ? [this.entry(diagram)] : [];
    }));
    if (box) this.map.repaint(box);
  }

  /** @param {number[]} ids diagrams whose figures changed */
  noteFacts(ids) {
    for (const id of ids) {
      const known = this.scene.diagrams.get(id);
      const diagram = this.project.diagrams.get(id);
      if (known && diagram) known.facts = this.facts(diagram);
    }
  }

  showMembers() {
    if (this.fixedViews) return;
    for (const view of this.map.views) view.members = this.project.members;
    this.map.repaint();
  }

  /** Marks a diagram, and moves the map if it is not in view. @param {number} id */
  find(id) {
    this.findAll([id]);
  }

  /** Marks diagrams, and moves the map if they are not in view together. @param {number[]} ids */
  findAll(ids) {
    const [from, , to] = this.scene.bounds;
    const middle = worldX((from + to) / 2);
    const box = around(ids.flatMap((id) => this.project.diagrams.get(id)?.shapes ?? []).map((shape) => turnedTo(shape, middle)));
    if (!box) return;
    if (!this.map.isInView(box)) {
      const { west, north, east, south } = box;
      const [low, high] = [[west, south], [east, north]].map(([x, y]) => this.leaflet.unproject([x * 256, y * 256], 0));
      this.map.fit([low.lng, low.lat, high.lng, high.lat], 16);
      this.map.isMoved = true;
    }
    this.map.mark(ids);
  }

  /** @param {any} layer a data layer of the project */
  hasLayer(layer) {
    return this.layers.has(layer.id);
  }

  /** Shows a data layer below the drawings, or removes it. @param {any} layer @param {boolean} isShown */
  setLayer(layer, isShown) {
    this.layers.get(layer.id)?.remove();
    this.layers.delete(layer.id);
    if (!isShown) return;
    const made = layer.layer_type === "XYZ"
      ? L.tileLayer(layer.url, { maxZoom: 20, attribution: layer.attribution })
      : L.tileLayer.wms(layer.url, { layers: layer.layer_name, format: "image/png", transparent: true });
    this.layers.set(layer.id, made.addTo(this.leaflet));
  }

  /** A place in the map, as shares of its width and height. @param {number} lon @param {number} lat degrees */
  shareOf(lon, lat) {
    const turns = Math.round((this.leaflet.getCenter().lng - lon) / 360);
    const { x, y } = this.leaflet.latLngToContainerPoint([lat, lon + 360 * turns]);
    const size = this.leaflet.getSize();
    return [x / size.x, y / size.y];
  }

  get leaflet() {
    return this.map.views[0].map;
  }

  /** Shows features that are not saved yet, with a dashed outline, and moves there. @param {{geometry: any}[]} features none takes them away */
  preview(features) {
    this.previewed?.remove();
    this.previewed = null;
    if (!features.length) return;
    const style = () => ({ color: "#b3002d", weight: 2, dashArray: "6 4", fillOpacity: 0.1 });
    const pointToLayer = (/** @type {any} */ _, /** @type {any} */ place) => L.circleMarker(place, { radius: 4 });
    const collection = { type: "FeatureCollection", features: features.map(({ geometry }) => ({ type: "Feature", properties: {}, geometry })) };
    this.previewed = L.geoJSON(collection, { style, interactive: false, pointToLayer }).addTo(this.leaflet);
    const { _southWest: { lng: west, lat: south }, _northEast: { lng: east, lat: north } } = this.previewed.getBounds();
    this.map.fit([west, south, east, north]);
  }

  /** @type {any} what is previewed */
  previewed = null;

  close() {
    this.closing.abort();
    this.map.remove();
  }
}

/** What lies beneath all else, and the names of places. @param {any} collection GeoJSON, with `kind` and `name` of each feature */
function contextOf(collection) {
  const features = collection?.features ?? [];
  return {
    context: features.flatMap((/** @type {any} */ { geometry, properties }) => fromGeometry(geometry).map((shape) => ({ ...shape, kind: properties.kind }))),
    places: features.filter((/** @type {any} */ { geometry, properties }) => geometry?.type === "Point" && properties.name)
      .map((/** @type {any} */ { geometry: { coordinates: [lon, lat] }, properties: { name } }) => ({ name, x: worldX(lon), y: worldY(lat) })),
  };
}

/** The credits of a basemap in the corner of a map, where their terms want them. @param {string} credits */
function creditsOf(credits) {
  const control = new L.Control({ position: "bottomleft" });
  control.onAdd = () => element("div", { className: "map-credits", textContent: credits });
  return control;
}
