// The layer of a Leaflet map that draws a scene: canvases of 256 pixels, painted for a few milliseconds in each frame.

import L from "../vendor/leaflet.js";
import { painting, pen, REACH } from "./paint.js";

/** @import { Scene } from "./scene.js" */
/** @import { Box } from "./world.js" */

const TILE = 256;
// Milliseconds of one frame for drawing tiles; the rest is drawn in the next frames.
const FRAME = 10;
// Shapes painted between two looks at the clock.
const STEP = 20;

export const Shapes = L.GridLayer.extend({
  options: { tileSize: TILE, updateWhenZooming: false, keepBuffer: 2, pane: "overlayPane", className: "shapes" },

  /** @param {Scene} scene @param {{members: Set<number> | null}} view @param {() => import("./paint.js").Look} look */
  initialize(scene, view, look) {
    L.setOptions(this, {});
    this.scene = scene;
    this.view = view;
    this.look = look;
    this.tiles = new Map();
    this.queue = new Set();
    /** A canvas on which tiles are painted until they are complete. */
    this.easel = document.createElement("canvas");
    /** The tile that is being painted, and its remaining steps. @type {{tile: HTMLCanvasElement, steps: Generator} | null} */
    this.current = null;
    this.on("tileunload", (/** @type {any} */ event) => {
      this.tiles.delete(event.tile);
      this.queue.delete(event.tile);
      this.restart(event.tile);
    });
  },

  /**
   * Paints tiles at the zoom of the map, also between integers: tiles that are shown larger than they are have seams.
   * @param {any} center @param {number} zoom @param {boolean} noPrune @param {boolean} noUpdate
   */
  _setView(center, zoom, noPrune, noUpdate) {
    if (!noUpdate) {
      this._tileZoom = zoom;
      this._updateLevels();
      this._resetGrid();
      this._update(center);
      if (!noPrune) this._pruneTiles();
      this._noPrune = Boolean(noPrune);
    }
    this._setZoomTransforms(center, zoom);
  },

  /** Tiles of another zoom stay until those of this one are painted. */
  _pruneTiles() {
    if (!this._map || !this._noTilesToLoad()) return;
    for (const [key, { current }] of Object.entries(this._tiles)) if (!current) this._removeTile(key);
  },

  /** @param {{x: number, y: number, z: number}} place @param {Function} done */
  createTile(place, done) {
    const tile = document.createElement("canvas");
    const ratio = Math.max(1, Math.min(2, window.devicePixelRatio || 1));
    tile.width = tile.height = TILE * ratio;
    this.tiles.set(tile, { place: { ...place }, done, ratio });
    this.enqueue(tile);
    return tile;
  },

  /** @param {HTMLCanvasElement} tile */
  enqueue(tile) {
    if (!this.queue.size) requestAnimationFrame(() => this.work());
    this.queue.add(tile);
    this.restart(tile);
  },

  /** Discards a tile's painting. @param {HTMLCanvasElement} tile */
  restart(tile) {
    if (this.current?.tile === tile) this.current = null;
  },

  work() {
    const begin = performance.now();
    for (const tile of this.queue) {
      const known = this.tiles.get(tile);
      this.current ??= { tile, steps: this.paint(tile, known) };
      while (!this.current.steps.next().done) if (performance.now() - begin > FRAME) return void requestAnimationFrame(() => this.work());
      this.current = null;
      this.queue.delete(tile);
      if (known.done) {
        known.done(null, tile);
        known.done = null;
      }
    }
  },

  /** Repaints a rectangle of the world, or everything. @param {Box} [box] */
  repaint(box) {
    for (const [tile, { place: { x, y, z } }] of this.tiles) {
      const count = 2 ** z, margin = REACH * (this.look().bold ?? 1) / TILE;
      const isBeside = box && (box.east * count < x - margin || box.west * count > x + 1 + margin ||
        box.south * count < y - margin || box.north * count > y + 1 + margin);
      if (!isBeside) this.enqueue(tile);
    }
  },

  /** Paints a tile in steps. @param {HTMLCanvasElement} tile @param {{place: {x: number, y: number, z: number}, ratio: number}} known */
  *paint(tile, { place, ratio }) {
    const { easel } = this;
    easel.width = easel.height = tile.width;
    const context = pen(easel, { willReadFrequently: true });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const part = { left: place.x * TILE, top: place.y * TILE, width: TILE, height: TILE, size: TILE * 2 ** place.z };
    let count = 0;
    for (const _ of painting(context, this.scene, this.view.members, part, this.look())) {
      if ((count += 1) % STEP) continue;
      // Browsers queue drawing until the canvas is shown or read. Reading it makes the time count for this frame.
      context.getImageData(0, 0, 1, 1);
      yield;
    }
    const shown = pen(tile, { willReadFrequently: true });
    shown.clearRect(0, 0, tile.width, tile.height);
    shown.drawImage(easel, 0, 0);
    shown.getImageData(0, 0, 1, 1);
  },
});
