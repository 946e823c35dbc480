// Drawing on the map with terra-draw. It holds only the drawing in hand; everything else stays on the tiles of the map.

import L from "../vendor/leaflet.js";
import {
  TerraDraw, TerraDrawFreehandMode, TerraDrawLeafletAdapter, TerraDrawLineStringMode, TerraDrawModeUndoRedo, TerraDrawPolygonMode,
  TerraDrawRectangleMode, TerraDrawSelectMode, TerraDrawSessionUndoRedo,
} from "../vendor/terra_draw.js";
import { element } from "../map/elements.js";
import { fromGeometry, worldX, worldY } from "../map/world.js";

/** @import { Scene } from "../map/scene.js" */

/** @typedef {"polygon" | "linestring" | "rectangle" | "freehand" | "select"} Tool */

// Pixels within which a corner snaps to one of another drawing, for a mouse and for a finger.
const SNAP = matchMedia("(pointer: coarse)").matches ? 22 : 12;

/** Panes get their place by a property, because the policy of the page allows no style sheet that a program makes. */
class Adapter extends TerraDrawLeafletAdapter {
  /** @param {string} name @param {number} zIndex */
  createPaneStyleSheet(name, zIndex) {
    const map = /** @type {any} */ (this)._map;
    const pane = map.getPane(name) || map.createPane(name);
    pane.style.zIndex = String(zIndex + 600);
    return {
      remove() {
        pane.remove();
        delete map._panes[name];
        delete map._paneRenderers[name];
      },
    };
  }
}

export class DrawingTools {
  /**
   * @param {any} map of Leaflet @param {Scene} scene whose corners drawings snap to
   * @param {(isFinished: boolean) => void} changed called after each change of the drawing
   */
  constructor(map, scene, changed) {
    this.map = map;
    this.scene = scene;
    this.snaps = true;
    // Its own snapping takes edges of the part that is being drawn for others.
    const snapping = { toCustom: (/** @type {any} */ event) => this.snapped(event) };
    const styles = { fillColor: "#1a5fb4", outlineColor: "#1a5fb4", fillOpacity: 0.2, outlineWidth: 3 };
    const editable = { draggable: true, rotateable: false, scaleable: false,
      coordinates: { midpoints: true, draggable: true, deletable: true, snappable: snapping } };
    this.draw = new TerraDraw({
      adapter: /** @type {any} */ (new (/** @type {any} */ (Adapter))({ map, lib: L, minPixelDragDistance: 3 })),
      modes: [
        new TerraDrawPolygonMode({ snapping, styles: /** @type {any} */ (styles), pointerDistance: SNAP * 1.5 }),
        new TerraDrawLineStringMode({ snapping, pointerDistance: SNAP * 1.5, styles: { lineStringColor: "#1a5fb4", lineStringWidth: 4 } }),
        new TerraDrawRectangleMode({ drawInteraction: "click-move-or-drag", styles: /** @type {any} */ (styles) }),
        new TerraDrawFreehandMode({ drawInteraction: "click-move-or-drag", styles: /** @type {any} */ (styles), minDistance: 12 }),
        new TerraDrawSelectMode({
          pointerDistance: SNAP * 1.5,
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
    /** @type {any} the first corner of a rectangle that is drawn with the keys alone */
    this.corner = null;
    this.crosshair = element("div", { className: "crosshair", ariaHidden: "true", hidden: true }, "+");
    map.getContainer().append(this.crosshair);
    this.listening = new AbortController();
    const options = { signal: this.listening.signal };
    map.getContainer().addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.pressed(event, changed), options);
    for (const name of ["focus", "blur"]) map.getContainer().addEventListener(name, () => this.showCrosshair(), options);
  }

  /** Whether the map has the focus: the keys move it below a cross in its middle. */
  showCrosshair() {
    const container = this.map.getContainer();
    this.crosshair.hidden = this.tool !== "rectangle" || !container.matches(":focus-visible");
  }

  /**
   * Sets a corner of a rectangle in the middle of the map, for who draws without a pointer: the arrow keys move the map, Enter sets the
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
    this.put([{ geometry: { type: "Polygon", coordinates: [[[west, south], [east, south], [east, north], [west, north], [west, south]]] } }]);
    changed(true);
  }

  /** @param {Tool} tool */
  use(tool) {
    this.tool = tool;
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

  /** Takes everything away that is drawn, or what is selected of it. */
  clear() {
    const mode = this.draw.getMode();
    this.draw.clear();
    this.draw.setMode(mode);
  }

  /**
   * The parts of the drawing, also the one that is being drawn if it is a shape already.
   * @returns {{features: any[], set: any[], isDrawing: boolean}} GeoJSON features without properties; `set` are those of the corners
   * that were set, without the one under the pointer
   */
  drawn() {
    let isDrawing = false;
    const features = [], set = [];
    for (const { geometry, properties } of this.draw.getSnapshot()) {
      if (!["polygon", "linestring", "rectangle", "freehand"].includes(String(properties.mode))) continue;
      if (geometry.type === "Point" || !isWhole(geometry)) continue;
      isDrawing ||= Boolean(properties.currentlyDrawing);
      features.push({ type: "Feature", properties: {}, geometry });
      const known = properties.currentlyDrawing ? firstOf(geometry, Number(properties.committedCoordinateCount)) : geometry;
      if (isWhole(known)) set.push({ type: "Feature", properties: {}, geometry: known });
    }
    return { features, set, isDrawing: isDrawing || this.draw.getModeState() === "drawing" };
  }

  /** Puts polygons and lines into the drawing. @param {any[]} features GeoJSON @returns {number} how many could not be put */
  put(features) {
    const parts = features.flatMap(({ geometry }) => partsOf(geometry));
    const added = this.draw.addFeatures(parts.map((geometry) => ({
      type: "Feature", geometry: rounded(geometry), properties: { mode: geometry.type === "Polygon" ? "polygon" : "linestring" },
    })));
    // What was put is the beginning, which nobody has to undo.
    this.draw.clearUndoRedoHistory();
    return added.filter(({ valid }) => !valid).length;
  }

  stop() {
    this.listening.abort();
    this.crosshair.remove();
    this.draw.stop();
  }

  /** The nearest corner of a diagram, of the study area or of another part of the drawing, else the nearest place on an edge. @param {any} event */
  snapped({ lng, lat }) {
    if (!this.snaps) return undefined;
    const size = 256 * 2 ** this.map.getZoom();
    const x = worldX(lng), y = worldY(lat), reach = SNAP / size;
    /** @type {{x: number, y: number, distance: number} | null} */
    let corner = null;
    /** @type {{x: number, y: number, distance: number} | null} */
    let edge = null;
    const nearer = (/** @type {typeof corner} */ known, /** @type {number} */ atX, /** @type {number} */ atY) => {
      const distance = Math.hypot(atX - x, atY - y);
      return distance <= reach && (!known || distance < known.distance) ? { x: atX, y: atY, distance } : known;
    };
    const others = this.draw.getSnapshot().filter(({ properties }) => !properties.currentlyDrawing && !properties.selected);
    const shapes = [
      ...this.scene.shapes.filter((found) => this.scene.isShown(found, null)), ...(this.scene.shown.boundary ? this.scene.boundary : []),
      ...others.flatMap(({ geometry }) => fromGeometry(geometry)),
    ];
    for (const found of shapes) {
      if (x < found.west - reach || x > found.east + reach || y < found.north - reach || y > found.south + reach) continue;
      for (const line of found.lines) {
        for (let index = 0; index < line.length; index += 2) {
          corner = nearer(corner, line[index], line[index + 1]);
          if (index === 0) continue;
          const fromX = line[index - 2], fromY = line[index - 1];
          const alongX = line[index] - fromX, alongY = line[index + 1] - fromY;
          const length = alongX * alongX + alongY * alongY;
          const share = length ? Math.max(0, Math.min(1, ((x - fromX) * alongX + (y - fromY) * alongY) / length)) : 0;
          edge = nearer(edge, fromX + share * alongX, fromY + share * alongY);
        }
      }
    }
    const found = corner || edge;
    if (!found) return undefined;
    const place = this.map.unproject([found.x * 256, found.y * 256], 0);
    return [round(place.lng), round(place.lat)];
  }
}

/** Nine digits are a tenth of a millimetre, and what terra-draw takes. @param {number} value */
const round = (value) => Number(value.toFixed(9));

/** @param {any} geometry */
function rounded({ type, coordinates }) {
  const walk = (/** @type {any} */ part) => (typeof part === "number" ? round(part) : part.map(walk));
  // A height is no position of a map.
  const flat = (/** @type {any} */ part) => (typeof part[0] === "number" ? part.slice(0, 2) : part.map(flat));
  return { type, coordinates: walk(flat(coordinates)) };
}

/** @param {any} geometry @returns {any[]} its polygons and lines */
function partsOf(geometry) {
  const { type, coordinates } = geometry || {};
  if (type === "Polygon" || type === "LineString") return [geometry];
  if (type === "MultiPolygon") return coordinates.map((/** @type {any} */ part) => ({ type: "Polygon", coordinates: part }));
  if (type === "MultiLineString") return coordinates.map((/** @type {any} */ part) => ({ type: "LineString", coordinates: part }));
  if (type === "GeometryCollection") return geometry.geometries.flatMap(partsOf);
  return [];
}

/** Whether a polygon has three corners and a line two, all at different places. @param {any} geometry */
function isWhole({ type, coordinates }) {
  const line = type === "Polygon" ? coordinates[0] : coordinates;
  const places = new Set(line.map((/** @type {number[]} */ position) => position.join()));
  return places.size >= (type === "Polygon" ? 3 : 2);
}

/** The first positions of a polygon or a line. @param {any} geometry @param {number} count */
function firstOf({ type, coordinates }, count) {
  if (!count) return { type, coordinates };
  if (type !== "Polygon") return { type, coordinates: coordinates.slice(0, count) };
  const [ring] = coordinates;
  return { type, coordinates: [[...ring.slice(0, Math.min(count, ring.length - 1)), ring[0]]] };
}
