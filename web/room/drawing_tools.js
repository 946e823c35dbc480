// Drawing on the map with terra-draw. It holds only the current drawing; everything else stays on the map's tiles.

import L from "../vendor/leaflet.js";
import {
  TerraDraw, TerraDrawFreehandMode, TerraDrawLineStringMode, TerraDrawModeUndoRedo, TerraDrawPolygonMode, TerraDrawRectangleMode,
  TerraDrawSelectMode,
} from "../vendor/terra_draw.js";
import { element } from "../map/elements.js";
import { fromGeometry, turnsTo } from "../map/world.js";
import { Adapter } from "./drawing_adapter.js";
import { isSame } from "./drawing.js";
import { Points, SELECTED } from "./drawing_points.js";
import { featureOf, firstOf, isLine, isWhole, modeOf, onEarth, partsOf, pointsAs, round } from "./drawing_shapes.js";
import { Steps } from "./drawing_steps.js";
import { beside } from "./clipping.js";
import { splitFeature } from "./splitting.js";
import { widened } from "./widening.js";

/** @import { Scene } from "../map/scene.js" */
/** @import { Given } from "./drawing_shapes.js" */
/** @import { State } from "./drawing_steps.js" */

/** @typedef {"polygon" | "linestring" | "rectangle" | "freehand" | "point" | "select" | "split"} Tool */

/** Tools that draw a point, or from one place to another, with the keys alone. @type {Tool[]} */
const KEYED = ["linestring", "rectangle", "point", "split"];

// Pixels between the pointer and a corner or an edge that it snaps to.
const SNAP = 10;
// Pixels within which a click hits a corner of the drawing, for a mouse and for a finger.
const REACH = matchMedia("(pointer: coarse)").matches ? 33 : 18;

export class DrawingTools {
  /**
   * @param {any} map of Leaflet @param {Scene} scene whose corners drawings snap to
   * @param {(isFinished: boolean) => void} changed called after each change of the drawing
   * @param {(parts: number) => void} split called with the number of parts after each cut; 0 if it parts nothing
   */
  constructor(map, scene, changed, split) {
    this.map = map;
    this.scene = scene;
    this.changed = changed;
    this.hasSplit = split;
    this.snaps = true;
    /** Degrees between the map and terra-draw, which takes no longitudes beyond 180. */
    this.frame = frameOf(map, scene);
    /** @type {{state: string | undefined, features: import("../vendor/terra_draw.js").GeoJSONStoreFeatures[]} | null} the drawing when a drag began */
    this.dragged = null;
    /** @type {Given[]} features that were put */
    this.given = [];
    /** Features put into the drawing that these tools cannot change. */
    this.rest = L.layerGroup().addTo(map);
    this.steps = new Steps(() => this.state(), (state) => this.restore(state));
    // terra-draw's own snapping takes edges of the part that is being drawn for other edges.
    const snapping = { toCustom: (/** @type {any} */ event) => this.snapped(event) };
    const styles = { fillColor: "#1a5fb4", outlineColor: "#1a5fb4", fillOpacity: 0.2, outlineWidth: 3 };
    this.points = new Points(() => this.draw, ({ lng, lat }) => map.latLngToContainerPoint([lat, lng + this.frame]), () => {
      this.steps.note();
      changed(false);
    });
    const editable = { draggable: true, rotateable: false, scaleable: false,
      coordinates: { midpoints: true, draggable: true, deletable: true, snappable: snapping } };
    this.draw = new TerraDraw({
      adapter: /** @type {any} */ (new Adapter({ map, lib: L, minPixelDragDistance: 3 }, this.frame,
        { begun: () => (this.dragged = { state: this.draw.getModeState(), features: this.draw.getSnapshot() }), interrupted: () => this.interrupt() })),
      modes: [
        new TerraDrawPolygonMode({ snapping, styles: /** @type {any} */ (styles), pointerDistance: REACH }),
        new TerraDrawLineStringMode({ snapping, pointerDistance: REACH, styles: { lineStringColor: "#1a5fb4", lineStringWidth: 4 } }),
        new TerraDrawRectangleMode({ drawInteraction: "click-move-or-drag", styles: /** @type {any} */ (styles) }),
        new TerraDrawFreehandMode({ drawInteraction: "click-move-or-drag", styles: /** @type {any} */ (styles), minDistance: 12 }),
        this.points.mode(REACH),
        new TerraDrawLineStringMode({ modeName: "split", snapping, pointerDistance: REACH, styles: { lineStringColor: "#b3261e", lineStringWidth: 3 } }),
        new TerraDrawSelectMode({
          pointerDistance: REACH, styles: SELECTED,
          flags: { polygon: { feature: editable }, linestring: { feature: editable }, rectangle: { feature: editable }, freehand: { feature: editable },
            point: { feature: { draggable: true, validation: this.points.isApart } } },
        }),
      ],
      undoRedo: { modeLevel: new TerraDrawModeUndoRedo(), sessionLevel: this.steps },
    });
    this.draw.start();
    this.draw.on("change", () => changed(false));
    this.draw.on("finish", (id) => {
      if (this.tool === "split") this.cut(id);
      else changed(true);
    });
    this.draw.on("history", () => changed(false));
    this.tool = /** @type {Tool} */ ("polygon");
    /** Shows where the next corner will snap to. */
    this.dot = L.circleMarker([0, 0], { radius: 6, color: "#fff", weight: 2, fillColor: "#1a5fb4", fillOpacity: 1, interactive: false });
    this.showSnap = (/** @type {any} */ event) => this.showDot(event.containerPoint);
    this.hideSnap = () => this.dot.remove();
    map.on("mousemove", this.showSnap).on("mouseout movestart zoomstart", this.hideSnap);
    /** @type {any} where a rectangle or a line begins that is drawn with the keys alone */
    this.corner = null;
    this.crosshair = element("div", { className: "crosshair", ariaHidden: "true", hidden: true }, "+");
    map.getContainer().append(this.crosshair);
    this.listening = new AbortController();
    const options = { signal: this.listening.signal };
    map.getContainer().addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.pressed(event), options);
    for (const name of ["focus", "blur"]) map.getContainer().addEventListener(name, () => this.showCrosshair(), options);
  }

  /** True if the map has the focus: the keys move it below a cross in its middle. */
  showCrosshair() {
    const container = this.map.getContainer();
    this.crosshair.hidden = !KEYED.includes(this.tool) || !container.matches(":focus-visible");
  }

  /**
   * Draws a rectangle, a straight line or points without a pointer: the arrow keys move the map below a cross in its middle, Enter begins there
   * and then ends there, Escape gives up. Enter adds a point there, or removes it.
   * @param {KeyboardEvent} event
   */
  pressed(event) {
    if (!KEYED.includes(this.tool) || event.target !== this.map.getContainer() || !event.isTrusted || this.draw.getModeState() === "drawing") return;
    if (event.key === "Escape") this.corner = null;
    if (event.key !== "Enter") return;
    event.preventDefault();
    const begin = this.corner, place = this.map.getCenter();
    if (this.tool === "point") {
      if (!event.repeat) this.points.toggle({ lng: round(place.lng - this.frame), lat: round(place.lat) });
      return;
    }
    this.corner = begin ? null : place;
    this.crosshair.textContent = begin ? "+" : "⌜";
    if (begin) this.drawBetween([begin.lng, begin.lat], [place.lng, place.lat]);
  }

  /** Draws a rectangle between opposite corners, or a line. @param {[number, number]} from @param {[number, number]} to */
  drawBetween(from, to) {
    const isArea = this.tool === "rectangle";
    const line = isArea ? [from, [to[0], from[1]], to, [from[0], to[1]], from] : [from, to];
    if (isArea ? from[0] === to[0] || from[1] === to[1] : isSame(from, to)) return;
    if (this.tool === "split") {
      this.split(line);
      return;
    }
    const shape = line.map(([lon, lat]) => [round(lon - this.frame), round(lat)]);
    this.draw.addFeatures([isArea ? { type: "Feature", geometry: { type: "Polygon", coordinates: [shape] }, properties: { mode: "polygon" } }
      : { type: "Feature", geometry: { type: "LineString", coordinates: shape }, properties: { mode: "linestring" } }]);
    this.steps.note();
    this.changed(true);
  }

  /** @param {{x: number, y: number}} pointer pixels of the map */
  showDot({ x, y }) {
    const place = ["polygon", "linestring", "split"].includes(this.tool) ? this.snapped({ containerX: x, containerY: y }) : undefined;
    if (place) this.dot.setLatLng([place[1], place[0] + this.frame]).addTo(this.map);
    else this.dot.remove();
  }

  /** @param {Tool} tool */
  use(tool) {
    this.tool = tool;
    this.dot.remove();
    this.corner = null;
    this.draw.setMode(tool);
    this.showCrosshair();
  }

  /** Ends the part that is being drawn, as a double click does. */
  finish() {
    for (const type of ["keydown", "keyup"]) {
      this.map.getContainer().dispatchEvent(new KeyboardEvent(type, { key: "Enter", bubbles: true }));
    }
  }

  undo() {
    this.draw.undo();
  }

  redo() {
    this.draw.redo();
  }

  /** Deletes everything that the tools drew. */
  clear() {
    this.empty();
    this.steps.note();
  }

  empty() {
    const mode = this.draw.getMode();
    this.draw.clear();
    this.draw.setMode(mode);
  }

  /** Everything that is drawn, for undoing. @returns {State} */
  state() {
    const shapes = this.draw.getSnapshot().filter(isShape).map(({ id, geometry, properties: { given, part } }) => ({
      type: "Feature", id, geometry, properties: { mode: modeOf(geometry), given, part },
    }));
    return { given: this.given, shapes: /** @type {any[]} */ (shapes) };
  }

  /** @param {State} state */
  restore({ given, shapes }) {
    const selected = this.draw.getSnapshot().find(({ properties }) => properties.selected)?.id;
    this.empty();
    this.given = given;
    this.draw.addFeatures(shapes);
    this.showRest();
    if (selected !== undefined && this.draw.hasFeature(selected)) this.draw.selectFeature(selected);
  }

  /** Puts features in the place of everything that is drawn, in one step. @param {any[]} features GeoJSON */
  replace(features) {
    this.empty();
    this.given = [];
    this.add(features);
  }

  /** Makes an area of the selected line, or else of all lines. @param {number} width metres @returns {{count: number, rest: number}} lines that were widened, and the others */
  widen(width) {
    const { features, selected } = this.drawn();
    const all = features.filter(isLine), lines = selected && isLine(selected) ? [selected] : all;
    if (lines.length) this.replace(widened(features, lines, width));
    return { count: lines.length, rest: all.length - lines.length };
  }

  /** The drawing without its part on other land. @param {any} land GeoJSON @returns {any[]} */
  clipped(land) {
    return beside(this.drawn().features, land.features);
  }

  /** Splits areas along a line that was drawn. @param {string | number} id of terra-draw */
  cut(id) {
    const { coordinates } = /** @type {any} */ (this.draw.getSnapshotFeature(id)?.geometry);
    this.draw.removeFeatures([id]);
    this.split(coordinates.map((/** @type {number[]} */ [lon, lat]) => [lon + this.frame, lat]));
  }

  /** Splits the areas that a line crosses. @param {number[][]} line longitudes and latitudes of the map */
  split(line) {
    const parts = this.drawn().features.map((feature) => splitFeature(feature, line));
    const split = parts.filter(({ length }) => length > 1).flat();
    if (split.length) this.replace(parts.flat());
    this.hasSplit(split.length);
  }

  /** Undoes a finger's drag when a second finger comes. */
  interrupt() {
    const { draw, tool, dragged } = this;
    if (tool !== "select" && tool !== "point") {
      // Restarting a mode gives up the shape that the drag began.
      if (dragged?.state !== "drawing" && draw.getModeState() === "drawing") draw.setMode(tool);
      return;
    }
    const now = new Map(draw.getSnapshot().map(({ id, geometry }) => [id, geometry]));
    const moved = dragged?.features.filter(({ id, geometry, properties }) => properties.mode !== "select" && id !== undefined && !isSame(now.get(id), geometry)) ?? [];
    if (moved.length) draw.setMode(tool);
    for (const { id, geometry } of moved) draw.updateFeatureGeometry(/** @type {any} */ (id), /** @type {any} */ (geometry));
  }

  /**
   * The drawing's features, including the one that is being drawn if it is a shape already.
   * @returns {{features: any[], set: any[], selected: any, isDrawing: boolean}} GeoJSON: features that were put are as they came unless somebody changed
   * them, others are without properties; `set` are those of the corners that were set, without the one under the pointer; `selected` is one of the features
   */
  drawn() {
    let isDrawing = false, selectedGiven = -1;
    /** @type {any} */
    let selected;
    /** @type {any[]} */
    const features = [], set = [], points = [];
    /** @type {{part: number, geometry: any}[][]} */
    const left = this.given.map(() => []);
    for (const { geometry, properties } of this.draw.getSnapshot().filter(isShape)) {
      if (properties.given !== undefined) {
        left[Number(properties.given)].push({ part: Number(properties.part), geometry });
        if (properties.selected) selectedGiven = Number(properties.given);
        continue;
      }
      if (geometry.type === "Point") {
        points.push(onEarth(geometry, this.frame).coordinates);
        continue;
      }
      isDrawing ||= Boolean(properties.currentlyDrawing);
      features.push({ type: "Feature", properties: {}, geometry: onEarth(geometry, this.frame) });
      if (properties.selected) selected = features.at(-1);
      const known = properties.currentlyDrawing ? firstOf(geometry, Number(properties.committedCoordinateCount)) : geometry;
      if (isWhole(known)) set.push({ type: "Feature", properties: {}, geometry: onEarth(known, this.frame) });
    }
    const given = this.given.flatMap((known, place) => {
      const drawn = left[place].sort((one, other) => one.part - other.part);
      if (!known.parts.length) return known.feature ? [known.feature] : [];
      const found = drawn.length ? [featureOf(known, drawn, this.frame)] : [];
      if (place === selectedGiven) [selected] = found;
      return found;
    });
    const added = points.length ? [{ type: "Feature", properties: {}, geometry: pointsAs(points) }] : [];
    return { features: [...given, ...features, ...added], set: [...given, ...set, ...added], selected, isDrawing: isDrawing || this.draw.getModeState() === "drawing" };
  }

  /** Puts features into the drawing, to begin with: there is nothing to undo. @param {any[]} features GeoJSON */
  put(features) {
    this.add(features);
    this.draw.clearUndoRedoHistory();
  }

  /** Adds features: those that the tools cannot change are shown along with the others. @param {any[]} features GeoJSON */
  add(features) {
    for (const one of features) {
      const feature = { type: "Feature", properties: {}, ...one };
      /** @type {Given} */
      const known = { feature, parts: [] };
      const given = this.given.length;
      this.given = [...this.given, known];
      const parts = partsOf(feature, this.frame);
      const added = this.draw.addFeatures(parts.map((geometry, part) => ({
        type: "Feature", geometry, properties: { mode: modeOf(geometry), given, part },
      })));
      if (added.length && added.every(({ valid }) => valid)) known.parts = parts;
      else this.draw.removeFeatures(added.flatMap(({ id, valid }) => (valid && id !== undefined ? [id] : [])));
    }
    this.showRest();
    this.steps.note();
  }

  /** Number of features that the tools cannot change. */
  get fixed() {
    return this.given.filter(({ feature, parts }) => feature && !parts.length).length;
  }

  /** Removes the features that the tools cannot change. */
  removeFixed() {
    // The others keep their numbers.
    this.given = this.given.map((known) => (known.parts.length ? known : { feature: null, parts: [] }));
    this.showRest();
    this.steps.note();
  }

  /** Shows the features that the tools cannot change. */
  showRest() {
    this.rest.clearLayers();
    for (const { feature, parts } of this.given) if (feature && !parts.length) this.outline(feature).addTo(this.rest);
  }

  /** Features as a layer that the tools do not change. @param {any} features GeoJSON @param {string} [color] */
  outline(features, color = "#1a5fb4") {
    const look = { color, weight: 3, dashArray: "6 6", fillOpacity: 0.2, interactive: false };
    return L.geoJSON(features, { style: look, pointToLayer: (/** @type {any} */ _, /** @type {any} */ place) => L.circleMarker(place, look),
      coordsToLatLng: (/** @type {number[]} */ [lng, lat]) => L.latLng(lat, lng + 360 * Math.round((this.frame - lng) / 360)) });
  }

  stop() {
    this.listening.abort();
    this.crosshair.remove();
    this.map.off("mousemove", this.showSnap).off("mouseout movestart zoomstart", this.hideSnap);
    this.dot.remove();
    this.rest.remove();
    this.draw.stop();
  }

  /** The nearest corner of a diagram, of the study area or of another part of the drawing, else the nearest place on an edge. @param {any} event */
  snapped({ containerX, containerY }) {
    if (!this.snaps) return undefined;
    // From where the pointer is: terra-draw asks again, with the place to which the first answer led.
    const { x: left, y: top } = this.map.project(this.map.containerPointToLatLng([containerX, containerY]), 0);
    const x = left / 256, y = top / 256, reach = SNAP / (256 * 2 ** this.map.getZoom());
    /** @type {{x: number, y: number, distance: number} | null} */
    let corner = null;
    /** @type {{x: number, y: number, distance: number} | null} */
    let edge = null;
    const nearer = (/** @type {typeof corner} */ known, /** @type {number} */ atX, /** @type {number} */ atY) => {
      const distance = Math.hypot(atX - x, atY - y);
      return distance <= reach && (!known || distance < known.distance) ? { x: atX, y: atY, distance } : known;
    };
    const others = this.draw.getSnapshot().filter(({ geometry, properties }) => geometry.type !== "Point" && !properties.currentlyDrawing && !properties.selected);
    const shapes = [
      ...this.scene.shapes.filter((found) => this.scene.isShown(found, null)), ...(this.scene.shown.boundary ? this.scene.boundary : []),
      ...others.flatMap(({ geometry }) => fromGeometry(onEarth(geometry, this.frame))),
    ];
    for (const found of shapes) {
      const turns = turnsTo(found, x);
      if (x < found.west + turns - reach || x > found.east + turns + reach || y < found.north - reach || y > found.south + reach) continue;
      for (const line of found.lines) {
        for (let index = 0; index < line.length; index += 2) {
          corner = nearer(corner, line[index] + turns, line[index + 1]);
          if (index === 0) continue;
          const fromX = line[index - 2] + turns, fromY = line[index - 1];
          const alongX = line[index] + turns - fromX, alongY = line[index + 1] - fromY;
          const length = alongX * alongX + alongY * alongY;
          const share = length ? Math.max(0, Math.min(1, ((x - fromX) * alongX + (y - fromY) * alongY) / length)) : 0;
          edge = nearer(edge, fromX + share * alongX, fromY + share * alongY);
        }
      }
    }
    const found = corner || edge;
    if (!found) return undefined;
    const place = this.map.unproject([found.x * 256, found.y * 256], 0);
    return [round(place.lng - this.frame), round(place.lat)];
  }
}

/** True for a shape of the drawing, not for a cut or a mark of a corner. @param {import("../vendor/terra_draw.js").GeoJSONStoreFeatures} feature */
const isShape = ({ geometry, properties }) =>
  properties.mode === "point" || ["polygon", "linestring", "rectangle", "freehand"].includes(String(properties.mode)) && geometry.type !== "Point" && isWhole(geometry);

/** Degrees that put the drawing where terra-draw takes it: away from the date line if the study area lies there. @param {any} map @param {Scene} scene */
function frameOf(map, { bounds: [, , east] }) {
  const frame = east > 180 ? 180 : 0;
  return frame + 360 * Math.round((map.getCenter().lng - frame) / 360);
}
