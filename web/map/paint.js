// Painting a scene: on a canvas for tiles, pictures, thumbnails and a legend's samples, and as SVG for paper.

import { SvgPen } from "./svg.js";
import { shortestSpan, turnsTo } from "./world.js";

/** @import { Scene, DiagramShape } from "./scene.js" */
/** @import { Shape } from "./world.js" */

/**
 * The colours of a page, and the factor of line widths and symbols where its letters are large.
 * @typedef {{ink: string, land: string, bold?: number}} Look
 */

/** Pixels of letters, up to which lines have their plain width. */
const PLAIN = 20;

/** How the context is drawn, from below: the colour (that of the ink where there is none), how strongly, the width of lines and their dashes. */
const CONTEXT = /** @type {const} */ ({
  park: { fill: "#6a9f4f", alpha: 0.2, width: 0, dash: [] },
  water: { fill: "#6fa8cf", alpha: 0.45, width: 1.4, dash: [] },
  district: { fill: null, alpha: 0.35, width: 0.8, dash: [2, 3] },
  road: { fill: null, alpha: 0.28, width: 1.2, dash: [] },
  rail: { fill: null, alpha: 0.45, width: 1.4, dash: [5, 3] },
});

/** Pixels by which the light edge of a diagram is wider than its line. */
const CASING = 2.5;

/** Pixels from the middle of the symbol of a point to its corners: with this number it looks round. */
const RADIUS = 5;
const CORNERS = 16;
/** Pixels that a symbol or a line reaches beyond its place. */
export const REACH = RADIUS + CASING;

/** A rectangle in pixels, of a world of `size` pixels. @typedef {{left: number, top: number, width: number, height: number, size: number}} Part */

/** A context to draw with. @typedef {CanvasRenderingContext2D | SvgPen} Pen */

/** Lightness of a colour, from 0 to 1. @param {string} color #rrggbb */
const lightness = (color) => [0.2126, 0.7152, 0.0722].reduce((sum, share, part) => sum + share * parseInt(color.slice(1 + 2 * part, 3 + 2 * part), 16) / 255, 0);

/** True if a colour is hard to see on land, such as dark grey in the dark. @param {string} hue @param {string} land */
const isLost = (hue, land) => Math.abs(lightness(hue) - lightness(land)) < 0.17;

/** @param {Element} element @returns {Look} */
export function lookOf(element) {
  const style = getComputedStyle(element);
  const bold = Math.max(1, (parseFloat(style.fontSize) || PLAIN) / PLAIN);
  return { ink: style.getPropertyValue("--ink").trim(), land: style.getPropertyValue("--land").trim(), bold };
}

/**
 * The path of a shape, without positions that are too close to the last one to be seen.
 * @param {Pen} context @param {Shape} found
 * @param {number} size pixels of the world @param {number} left @param {number} top @param {number} [radius] of a point
 */
function trace(context, found, size, left, top, radius = RADIUS) {
  context.beginPath();
  if (found.isPoint) {
    const x = found.west * size - left, y = found.north * size - top;
    for (let corner = 0; corner < CORNERS; corner += 1) {
      const angle = corner / CORNERS * 2 * Math.PI;
      context[corner ? "lineTo" : "moveTo"](x + radius * Math.cos(angle), y + radius * Math.sin(angle));
    }
    context.closePath();
    return;
  }
  for (const line of found.lines) {
    let lastX = NaN, lastY = NaN;
    const end = line.length - 2;
    for (let index = 0; index <= end; index += 2) {
      const x = line[index] * size - left, y = line[index + 1] * size - top;
      if (index === 0) context.moveTo(x, y);
      else if (Math.abs(x - lastX) + Math.abs(y - lastY) < 0.7 && index !== end) continue;
      else context.lineTo(x, y);
      lastX = x;
      lastY = y;
    }
    if (!found.isLine) context.closePath();
  }
}

/** @param {HTMLCanvasElement} canvas @returns {CanvasRenderingContext2D} */
export function pen(canvas, options = {}) {
  const context = canvas.getContext("2d", options);
  if (!(context instanceof CanvasRenderingContext2D)) throw new Error("This browser cannot draw.");
  return context;
}

/** @type {Map<string, CanvasPattern | null>} patterns that were made, which all canvases share */
const made = new Map();

/**
 * Lines in a square that is repeated.
 * @param {Pen} context @param {string} path the data of an SVG path @param {number} size pixels of the square @param {string} ink
 * @param {number} alpha @param {number} width of the lines @param {number} [scale] of the lines in the square
 */
function repeated(context, path, size, ink, alpha, width, scale = 1) {
  if (context instanceof SvgPen) return context.repeat(path, size, ink, alpha, width, scale);
  const key = [path, size, ink, alpha, width, scale].join(" ");
  const known = made.get(key);
  if (known !== undefined) return known;
  const cell = document.createElement("canvas");
  cell.width = cell.height = size;
  const lines = pen(cell);
  lines.scale(scale, scale);
  lines.strokeStyle = ink;
  lines.lineWidth = width;
  lines.globalAlpha = alpha;
  lines.stroke(new Path2D(path));
  const pattern = context.createPattern(cell, "repeat");
  made.set(key, pattern);
  return pattern;
}

/**
 * The pattern on a system's colour, which distinguishes systems without colours.
 * @param {Pen} context @param {string} path @param {number} size @param {string} ink
 */
export function overlay(context, path, size, ink, scale = 1) {
  return repeated(context, path, size * scale, ink, 0.55, 1.3, scale);
}

/** The pattern of constraints. @param {Pen} context @param {string} ink */
export function hatch(context, ink) {
  return repeated(context, "M-8 8L0 0M0 8L8 0M8 8L16 0", 8, ink, 0.45, 1);
}

/**
 * Paints what is switched on in a rectangle of the world, which may go on beyond the date line.
 * @param {Pen} context @param {Scene} scene @param {Set<number> | null} members @param {Part} part @param {Look} look
 */
export function paint(context, scene, members, part, look) {
  const { left, width, size } = part;
  for (let turn = Math.floor(left / size); turn * size < left + width; turn += 1) {
    const steps = painting(context, scene, members, { ...part, left: left - turn * size }, look);
    while (!steps.next().done);
  }
}

/**
 * Paints what is switched on in a rectangle of the world, a shape in each step: there may be thousands.
 * @param {Pen} context its unit is a pixel
 * @param {Scene} scene
 * @param {Set<number> | null} members the diagrams of the view; null for all
 * @param {Part} part
 * @param {Look} look
 */
export function* painting(context, scene, members, { left, top, width, height, size }, { ink, land, bold = 1 }) {
  const { shown } = scene, reach = REACH * bold;
  const west = (left - reach) / size, north = (top - reach) / size;
  const east = (left + width + reach) / size, south = (top + height + reach) / size;
  /**
   * @param {Shape} found @param {string | CanvasPattern | null} fill @param {number} alpha @param {string | null} stroke
   * @param {number} [strokeWidth] @param {number[]} [dash] @param {string | CanvasPattern | null} [lines]
   */
  const draw = (found, fill, alpha, stroke, strokeWidth = 1, dash = [], lines = null) => {
    trace(context, found, size, left, top, RADIUS * bold);
    if (fill && !found.isLine) {
      fillWith(fill, alpha);
      if (lines) fillWith(lines, 1);
    }
    if (stroke) line(stroke, strokeWidth, 1, dash);
  };
  /** @param {string | CanvasPattern} fill @param {number} alpha */
  const fillWith = (fill, alpha) => {
    context.globalAlpha = alpha;
    context.fillStyle = fill;
    context.fill("evenodd");
  };
  /** @param {string} stroke @param {number} width @param {number} alpha @param {number[]} [dash] */
  const line = (stroke, width, alpha, dash = []) => {
    context.globalAlpha = alpha;
    context.strokeStyle = stroke;
    context.lineWidth = width * bold;
    context.setLineDash(dash.map((length) => length * bold));
    context.stroke();
  };
  /** An edge around a diagram, which sets it off from what lies below. @param {Shape} found @param {number} width of its line @param {string} hue @param {number[]} dash */
  const edge = (found, width, hue, dash) => {
    trace(context, found, size, left, top, RADIUS * bold);
    if (isLost(hue, land)) line(ink, width + CASING / 2, 0.45, dash);
    else line(land, width + CASING, 0.8);
  };
  /**
   * As they are now: the scene may change between two steps.
   * @template {Shape} T
   * @param {T[]} list
   */
  const near = (list) => list.filter((found) => found.east >= west && found.west <= east && found.south >= north && found.north <= south);
  const shapes = near(scene.shapes).filter((found) => scene.isShown(found, members));
  const boundary = shown.boundary ? near(scene.boundary) : [];
  context.lineJoin = context.lineCap = "round";
  for (const found of boundary) draw(found, land, scene.basemap ? 0 : 1, null);
  const context_ = shown.context ? near(scene.context) : [];
  for (const [kind, { fill, alpha, width, dash }] of Object.entries(CONTEXT)) {
    for (const found of context_) {
      if (found.kind !== kind) continue;
      trace(context, found, size, left, top);
      if (fill && !found.isLine) fillWith(fill, alpha);
      else line(fill ?? ink, width, alpha, [...dash]);
      yield;
    }
  }
  const evaluation = scene.evaluations[shown.evaluation];
  for (const found of evaluation ? near(evaluation.shapes) : []) {
    draw(found, evaluation.classes[found.kind].color, scene.strength * (scene.basemap ? 0.75 : 1), null);
    yield;
  }
  // The pattern goes on from tile to tile, because a tile is a multiple of it.
  const pattern = hatch(context, ink);
  for (const found of shown.constraints ? near(scene.constraints) : []) {
    draw(found, pattern, 1, ink, 0.5);
    yield;
  }
  for (const found of boundary) draw(found, null, 0, ink, 1.2);
  const overlays = scene.systems.map((system) => system.pattern ? overlay(context, system.pattern, scene.patternSize, ink) : null);
  for (const found of shapes) {
    const hue = scene.systems[found.diagram.system].color;
    // Classes do not overlap, and look as in the legend.
    if (scene.legend === "Classes") draw(found, hue, 1, hue, found.isLine ? 3 : 1, [], overlays[found.diagram.system]);
    else {
      const { policy } = found.diagram;
      const width = found.isLine ? 3 : policy ? 1.6 : 1, dash = policy ? [6, 4] : [];
      edge(found, width, hue, dash);
      if (policy) draw(found, hue, 0.1, hue, width, dash);
      else draw(found, hue, found.isPoint ? 0.9 : 0.65, hue, width, dash, found.isPoint ? null : overlays[found.diagram.system]);
    }
    yield;
  }
}

/**
 * A diagram alone, as large as the canvas allows.
 * @param {CanvasRenderingContext2D} context @param {Shape[]} shapes @param {import("./world.js").Box} box around them
 * @param {string} hue @param {boolean} policy @param {number} width @param {number} height pixels
 */
export function paintAlone(context, shapes, box, hue, policy, width, height) {
  const margin = REACH;
  // Its parts may lie on both sides of the date line.
  const [west, east] = shortestSpan(shapes), middle = (west + east) / 2;
  const size = Math.min((width - 2 * margin) / Math.max(east - west, 1e-9), (height - 2 * margin) / Math.max(box.south - box.north, 1e-9));
  const left = middle * size - width / 2, top = (box.north + box.south) / 2 * size - height / 2;
  context.lineJoin = context.lineCap = "round";
  for (const found of shapes) {
    trace(context, found, size, left - turnsTo(found, middle) * size, top);
    context.fillStyle = context.strokeStyle = hue;
    context.setLineDash(policy ? [4, 3] : []);
    if (!found.isLine) {
      context.globalAlpha = policy ? 0.15 : 0.6;
      context.fill("evenodd");
    }
    context.globalAlpha = 1;
    context.lineWidth = found.isLine ? 2.5 : 1.2;
    context.stroke();
  }
}
