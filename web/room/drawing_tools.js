// Drawing on the map with terra-draw. It holds only the current drawing; everything else stays on the map's tiles.

import L from "../vendor/leaflet.js";
import {
  TerraDraw, TerraDrawFreehandMode, TerraDrawLineStringMode, TerraDrawModeUndoRedo, TerraDrawPolygonMode, TerraDrawRectangleMode,
  TerraDrawSelectMode, TerraDrawSessionUndoRedo,
} from "../vendor/terra_draw.js";
import { element } from "../map/elements.js";
import { fromGeometry, turnsTo } from "../map/world.js";
import { Adapter } from "./drawing_adapter.js";
import { isSame } from "./drawing.js";
import { featureOf, firstOf, isWhole, onEarth, partsOf, round } from "./drawing_shapes.js";

/** @import { Scene } from "../map/scene.js" */
/** @import { Given } from "./drawing_shapes.js" */

/** @typedef {"polygon" | "linestring" | "rectangle" | "freehand" | "select"} Tool */

// Pixels between the pointer and a corner or an edge that it snaps to.
const SNAP = 10;
// Pixels within which a click hits a corner of the drawing, for a mouse and for a finger.
const REACH = matchMedia("(pointer: coarse)").matches ? 33 : 18;

export class DrawingTools {
  /**
   * @param {any} map of Leaflet @param {Scene} scene whose corners drawings snap to
   * @param {(isFinished: boolean) => void} changed called after each change of the drawing
   */
  constructor(map, scene, changed) {
    this.map = map;
    this.scene = scene;
    this.snaps = true;
    /** Degrees between the map and terra-draw, which takes no longitudes beyond 180. */
    this.frame = frameOf(map, scene);
    /** @type {{state: string | undefined, features: import("../vendor/terra_draw.js").GeoJSONStoreFeatures[]} | null} the drawing when a drag began */
    this.dragged = null;
    /** @type {Given[]} features that were put */
    this.given = [];
    /** Features put into the drawing that these tools cannot change. */
    this.rest = L.layerGroup().addTo(map);
    // terra-draw's own snapping takes edges of the part that is being drawn for other edges.
    const snapping = { toCustom: (/** @type {any} */ event) => this.snapped(event) };
    const styles = { fillColor: "#1a5fb4", outlineColor: "#1a5fb4", fillOpacity: 0.2, outlineWidth: 3 };
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
        new TerraDrawSelectMode({
          pointerDistance: REACH,
          flags: { polygon: { feature: editable }, linestring: { feature: editable }, rectangle: { feature: editable }, freehand: { feature: editable } },
        }),
      ],
      undoRedo: { modeLevel: new TerraDrawModeUndoRedo(), sessionLevel: new TerraDrawSessionUndoRedo() },
    });
    this.draw.start();
    this.draw.on("change", () => changed(false));
    this.draw.on("finish", () => changed(true));
    this.draw.on("history", () => changed(false));
    this.tool = /** @type {Tool} */ ("polygon");
    /** Shows where the next corner will snap to. */
    this.dot = L.circleMarker([0, 0], { radius: 6, color: "#fff", weight: 2, fillColor: "#1a5fb4", fillOpacity: 1, interactive: false });
    this.showSnap = (/** @type {any} */ event) => this.showDot(event.containerPoint);
    this.hideSnap = () => this.dot.remove();
    map.on("mousemove", this.showSnap).on("mouseout movestart zoomstart", this.hideSnap);
    /** @type {any} the first corner of a rectangle that is drawn with the keys alone */
    this.corner = null;
    this.crosshair = element("div", { className: "crosshair", ariaHidden: "true", hidden: true }, "+");
    map.getContainer().append(this.crosshair);
    this.listening = new AbortController();
    const options = { signal: this.listening.signal };
    map.getContainer().addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.pressed(event, changed), options);
    for (const name of ["focus", "blur"]) map.getContainer().addEventListener(name, () => this.showCrosshair(), options);
  }

  /** True if the map has the focus: the keys move it below a cross in its middle. */
  showCrosshair() {
    const container = this.map.getContainer();
    this.crosshair.hidden = this.tool !== "rectangle" || !container.matches(":focus-visible");
  }

  /**
   * Sets a corner of a rectangle in the middle of the map, to draw without a pointer: the arrow keys move the map, Enter sets the
   * first corner and then the opposite one, Escape gives up.
   * @param {KeyboardEvent} event @param {(isFinished: boolean) => void} changed
   */
  pressed(event, changed) {
    if (this.tool !== "rectangle" || event.target !== this.map.getContainer() || !event.isTrusted) return;
    if (event.key === "Escape") this.corner = null;
    if (event.key !== "Enter") return;
    event.preventDefault();
    const place = this.map.getCenter();
    if (!this.corner) {
      this.corner = place;
      this.crosshair.textContent = "⌜";
      return;
    }
    const [west, east] = [this.corner.lng, place.lng].sort((a, b) => a - b), [south, north] = [this.corner.lat, place.lat].sort((a, b) => a - b);
    this.corner = null;
    this.crosshair.textContent = "+";
    if (west === east || south === north) return;
    const ring = [[west, south], [east, south], [east, north], [west, north], [west, south]].map(([lng, lat]) => [round(lng - this.frame), round(lat)]);
    this.draw.addFeatures([{ type: "Feature", geometry: { type: "Polygon", coordinates: [ring] }, properties: { mode: "polygon" } }]);
    changed(true);
  }

  /** @param {{x: number, y: number}} pointer pixels of the map */
  showDot({ x, y }) {
    const place = this.tool === "polygon" || this.tool === "linestring" ? this.snapped({ containerX: x, containerY: y }) : undefined;
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

  /** Deletes everything that is drawn, or the selected part. */
  clear() {
    const mode = this.draw.getMode();
    this.draw.clear();
    this.draw.setMode(mode);
  }

  /** Undoes a finger's drag when a second finger comes. */
  interrupt() {
    const { draw, tool, dragged } = this;
    if (tool !== "select") {
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
   * @returns {{features: any[], set: any[], isDrawing: boolean}} GeoJSON: features that were put are as they came unless somebody changed them, others are
   * without properties; `set` are those of the corners that were set, without the one under the pointer
   */
  drawn() {
    let isDrawing = false;
    /** @type {any[]} */
    const features = [], set = [];
    /** @type {{part: number, geometry: any}[][]} */
    const left = this.given.map(() => []);
    for (const { geometry, properties } of this.draw.getSnapshot()) {
      if (!["polygon", "linestring", "rectangle", "freehand"].includes(String(properties.mode))) continue;
      if (geometry.type === "Point" || !isWhole(geometry)) continue;
      if (properties.given !== undefined) {
        left[Number(properties.given)].push({ part: Number(properties.part), geometry });
        continue;
      }
      isDrawing ||= Boolean(properties.currentlyDrawing);
      features.push({ type: "Feature", properties: {}, geometry: onEarth(geometry, this.frame) });
      const known = properties.currentlyDrawing ? firstOf(geometry, Number(properties.committedCoordinateCount)) : geometry;
      if (isWhole(known)) set.push({ type: "Feature", properties: {}, geometry: onEarth(known, this.frame) });
    }
    const given = this.given.flatMap((known, place) => {
      const drawn = left[place].sort((one, other) => one.part - other.part);
      if (!known.parts.length) return known.feature ? [known.feature] : [];
      return drawn.length ? [featureOf(known, drawn, this.frame)] : [];
    });
    return { features: [...given, ...features], set: [...given, ...set], isDrawing: isDrawing || this.draw.getModeState() === "drawing" };
  }

  /** Puts features into the drawing: those that the tools cannot change are shown along with the others. @param {any[]} features GeoJSON */
  put(features) {
    for (const one of features) {
      const feature = { type: "Feature", properties: {}, ...one };
      /** @type {Given} */
      const known = { feature, parts: [] };
      const given = this.given.push(known) - 1;
      const parts = partsOf(feature, this.frame);
      const added = this.draw.addFeatures(parts.map((geometry, part) => ({
        type: "Feature", geometry, properties: { mode: geometry.type === "Polygon" ? "polygon" : "linestring", given, part },
      })));
      if (added.length && added.every(({ valid }) => valid)) known.parts = parts;
      else {
        this.draw.removeFeatures(added.flatMap(({ id, valid }) => (valid && id !== undefined ? [id] : [])));
        this.show(feature);
      }
    }
    // The features that were put are the initial state: there is nothing to undo.
    this.draw.clearUndoRedoHistory();
  }

  /** Number of features that the tools cannot change. */
  get fixed() {
    return this.given.filter(({ feature, parts }) => feature && !parts.length).length;
  }

  /** Removes the features that the tools cannot change. */
  removeFixed() {
    // The others keep their numbers.
    this.given = this.given.map((known) => (known.parts.length ? known : { feature: null, parts: [] }));
    this.rest.clearLayers();
  }

  /** @param {any} feature */
  show(feature) {
    const look = { color: "#1a5fb4", weight: 3, dashArray: "6 6", fillOpacity: 0.2, interactive: false };
    L.geoJSON(feature, { style: look, pointToLayer: (/** @type {any} */ _, /** @type {any} */ place) => L.circleMarker(place, look),
      coordsToLatLng: (/** @type {number[]} */ [lng, lat]) => L.latLng(lat, lng + 360 * Math.round((this.frame - lng) / 360)) }).addTo(this.rest);
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

/** Degrees that put the drawing where terra-draw takes it: away from the date line if the study area lies there. @param {any} map @param {Scene} scene */
function frameOf(map, { bounds: [, , east] }) {
  const frame = east > 180 ? 180 : 0;
  return frame + 360 * Math.round((map.getCenter().lng - frame) / 360);
}
