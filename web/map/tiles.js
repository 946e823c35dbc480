// The layer of a Leaflet map that draws a scene: canvases of 256 pixels, painted a few milliseconds in each frame.

import L from "../vendor/leaflet.js";
import { paint, pen } from "./paint.js";

/** @import { Scene } from "./scene.js" */
/** @import { Box } from "./world.js" */

const TILE = 256;
// Milliseconds of one frame for drawing tiles; what is left is drawn in the next frame.
const FRAME = 10;

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
    this.on("tileunload", (/** @type {any} */ event) => {
      this.tiles.delete(event.tile);
      this.queue.delete(event.tile);
    });
  },

  /** @param {{x: number, y: number, z: number}} place @param {Function} done */
  createTile(place, done) {
    const tile = document.createElement("canvas");
    // Between whole zooms tiles are shown a little larger than they are.
    const ratio = 1.25 * Math.max(1, Math.min(2, window.devicePixelRatio || 1));
    tile.width = tile.height = TILE * ratio;
    this.tiles.set(tile, { place: { ...place }, done, ratio });
    this.enqueue(tile);
    return tile;
  },

  /** @param {HTMLCanvasElement} tile */
  enqueue(tile) {
    if (!this.queue.size) requestAnimationFrame(() => this.work());
    this.queue.add(tile);
  },

  work() {
    const begin = performance.now();
    for (const tile of this.queue) {
      this.queue.delete(tile);
      const known = this.tiles.get(tile);
      this.paint(tile, known);
      if (known.done) {
        known.done(null, tile);
        known.done = null;
      }
      if (performance.now() - begin > FRAME) break;
    }
    if (this.queue.size) requestAnimationFrame(() => this.work());
  },

  /** Paints anew what lies in a rectangle of the world, or everything. @param {Box} [box] */
  repaint(box) {
    for (const [tile, { place: { x, y, z } }] of this.tiles) {
      const count = 2 ** z, margin = 4 / TILE;
      const isBeside = box && (box.east * count < x - margin || box.west * count > x + 1 + margin ||
        box.south * count < y - margin || box.north * count > y + 1 + margin);
      if (!isBeside) this.enqueue(tile);
    }
  },

  /** @param {HTMLCanvasElement} tile @param {{place: {x: number, y: number, z: number}, ratio: number}} known */
  paint(tile, { place, ratio }) {
    // With `willReadFrequently` a tile is drawn at once, so that the time of a frame is known, and not when it is shown.
    const context = pen(tile, { willReadFrequently: true });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, TILE, TILE);
    const part = { left: place.x * TILE, top: place.y * TILE, width: TILE, height: TILE, size: TILE * 2 ** place.z };
    paint(context, this.scene, this.view.members, part, this.look());
  },
});
