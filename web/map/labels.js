// Names on a map: of places, and of diagrams that are large enough on the screen. Names that would collide are left out.

import L from "../vendor/leaflet.js";
import { pen } from "./paint.js";
import { turnedTo } from "./world.js";

/** @import { Scene, DiagramShape } from "./scene.js" */
/** @import { Look } from "./paint.js" */

/** A text to draw: pixels of its middle, and what it may cover. @typedef {{text: string, x: number, y: number, isPlace: boolean}} Label */

const MOST = 80;
const GAP = 4;
// Names of diagrams come from the first zoom on if they are no longer than the diagram, and from the second one on for all.
const FROM = 12.5, CLOSE = 15;
// Pixels of a character, about.
const CHARACTER = 6.5;

export const Labels = L.Layer.extend({
  /** @param {Scene} scene @param {{members: Set<number> | null}} view @param {() => Look} look */
  initialize(scene, view, look) {
    this.scene = scene;
    this.view = view;
    this.look = look;
    this.frame = 0;
  },

  /** @param {any} map */
  onAdd(map) {
    this.canvas = L.DomUtil.create("canvas", "labels leaflet-zoom-hide");
    this.canvas.setAttribute("aria-hidden", "true");
    map.getPane("shadowPane").append(this.canvas);
    map.on("moveend zoomend resize", this.redraw, this);
    this.redraw();
  },

  /** @param {any} map */
  onRemove(map) {
    cancelAnimationFrame(this.frame);
    map.off("moveend zoomend resize", this.redraw, this);
    this.canvas.remove();
  },

  /** Draws the names again with the next frame. */
  redraw() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  },

  draw() {
    const { _map: map, canvas } = this;
    const size = map.getSize(), ratio = window.devicePixelRatio || 1;
    canvas.width = size.x * ratio;
    canvas.height = size.y * ratio;
    Object.assign(canvas.style, { width: `${size.x}px`, height: `${size.y}px` });
    L.DomUtil.setPosition(canvas, map.containerPointToLayerPoint([0, 0]));
    const context = pen(canvas);
    context.scale(ratio, ratio);
    Object.assign(context, { textAlign: "center", textBaseline: "middle", lineJoin: "round", lineWidth: 3 });
    const { ink, land } = this.look();
    // Letters are as large as the map's others.
    const letter = parseFloat(getComputedStyle(map.getContainer()).fontSize) || 12;
    context.strokeStyle = land;
    /** @type {{left: number, top: number, right: number, bottom: number}[]} */
    const taken = [];
    for (const { text, x, y, isPlace } of this.wanted(map)) {
      context.font = `${isPlace ? "600 " : ""}${letter}px system-ui, sans-serif`;
      const half = context.measureText(text).width / 2 + GAP, high = 0.6 * letter + GAP;
      const box = { left: x - half, top: y - high, right: x + half, bottom: y + high };
      if (taken.some((other) => box.left < other.right && box.right > other.left && box.top < other.bottom && box.bottom > other.top)) continue;
      taken.push(box);
      context.globalAlpha = isPlace ? 0.75 : 1;
      context.fillStyle = ink;
      context.strokeText(text, x, y);
      context.fillText(text, x, y);
      if (taken.length >= MOST) break;
    }
  },

  /** The names in view, the most important first. @param {any} map @returns {Label[]} */
  wanted(map) {
    const { scene, view } = this;
    const size = 256 * 2 ** map.getZoom(), { x: width, y: height } = map.getSize();
    const middle = map.project(map.getCenter(), 0).x / 256;
    const { x: left, y: top } = map.getPixelBounds().min;
    const zoom = map.getZoom();
    const isInView = (/** @type {Label} */ { x, y }) => x > 0 && x < width && y > 0 && y < height;
    /** @type {Label[]} */
    const places = (scene.shown.context ? scene.places : []).map((/** @type {import("./scene.js").Place} */ { name, x, y }) => ({ text: name, x: (x + Math.round(middle - x)) * size - left, y: y * size - top, isPlace: true }));
    /** @type {Map<number, {found: DiagramShape, extent: number}>} the largest part of each diagram */
    const largest = new Map();
    for (const found of zoom < FROM ? [] : scene.shapes) {
      if (!found.diagram.title || !scene.isShown(found, view.members)) continue;
      const extent = Math.max(found.east - found.west, found.south - found.north);
      if (zoom < CLOSE && extent * size < short(found.diagram.title).length * CHARACTER) continue;
      if (extent > (largest.get(found.number)?.extent ?? 0)) largest.set(found.number, { found, extent });
    }
    const diagrams = [...largest.values()].sort((a, b) => b.extent - a.extent).map(({ found }) => {
      const { x, y } = middleOf(found, middle);
      return { text: short(found.diagram.title), x: x * size - left, y: y * size - top, isPlace: false };
    });
    return [...places, ...diagrams].filter(isInView);
  },
});

/** A place on a shape: the middle of a line, or of the widest part of an area at half its height. @param {DiagramShape} found @param {number} middle of the map */
function middleOf(found, middle) {
  const turns = turnedTo(found, middle).west - found.west;
  const [line] = found.lines;
  if (found.isLine || found.isPoint) {
    const index = 2 * Math.floor(line.length / 4);
    return { x: line[index] + turns, y: line[index + 1] };
  }
  const y = (found.north + found.south) / 2;
  /** @type {number[]} */
  const cuts = [];
  for (const ring of found.lines) {
    for (let index = 0, before = ring.length - 2; index < ring.length; before = index, index += 2) {
      if (ring[index + 1] > y === ring[before + 1] > y) continue;
      cuts.push((ring[before] - ring[index]) * (y - ring[index + 1]) / (ring[before + 1] - ring[index + 1]) + ring[index]);
    }
  }
  cuts.sort((a, b) => a - b);
  let best = { width: -1, x: (found.west + found.east) / 2 };
  for (let index = 1; index < cuts.length; index += 2) {
    const width = cuts[index] - cuts[index - 1];
    if (width > best.width) best = { width, x: (cuts[index] + cuts[index - 1]) / 2 };
  }
  return { x: best.x + turns, y };
}

/** @param {string} title */
const short = (title) => (title.length > 32 ? `${title.slice(0, 31).trimEnd()}…` : title);
