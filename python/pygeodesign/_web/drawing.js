// Draws the data of the page with Leaflet. Texts of the service become text nodes only, never markup.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const TILE = 256;
// Milliseconds of one frame for drawing tiles; what is left is drawn in the next frame.
const FRAME = 10;
// Pixels: how far beside a line the pointer may be.
const REACH = 6;
const MAX_TIPS = 4;
// A picture of one pixel that is not seen, where a basemap has no tile.
const NO_TILE = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
const style = getComputedStyle(document.body);
const ink = style.getPropertyValue("--ink").trim();
const land = style.getPropertyValue("--land").trim();
const shown = { systems: data.systems.map(() => true), projects: true, policies: true, boundary: true, constraints: true, evaluation: -1 };
const views = [];

// Shapes: world coordinates from 0 to 1, as Web Mercator has them.

function positions(deltas) {
  const found = new Float64Array(deltas.length);
  let lon = 0, lat = 0;
  for (let index = 0; index < deltas.length; index += 2) {
    lon += deltas[index];
    lat += deltas[index + 1];
    found[index] = lon / data.scale / 360 + 0.5;
    const sine = Math.sin(Math.max(-85.05, Math.min(85.05, lat / data.scale)) * Math.PI / 180);
    found[index + 1] = 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
  }
  return found;
}

function shape(rings, isLine) {
  const lines = rings.map(positions);
  let west = Infinity, north = Infinity, east = -Infinity, south = -Infinity;
  for (const line of lines) {
    for (let index = 0; index < line.length; index += 2) {
      west = Math.min(west, line[index]);
      east = Math.max(east, line[index]);
      north = Math.min(north, line[index + 1]);
      south = Math.max(south, line[index + 1]);
    }
  }
  return { lines, isLine, west, north, east, south };
}

const polygons = (list) => list.map((rings) => shape(rings, false));
const boundary = polygons(data.boundary);
const constraints = polygons(data.constraints);
const evaluations = data.evaluations.map((map) => map.shapes.map(([kind, rings]) => ({ ...shape(rings, false), kind })));
const shapes = data.diagrams.flatMap((diagram, number) => [
  ...diagram.polygons.map((rings) => ({ ...shape(rings, false), number, diagram })),
  ...diagram.lines.map((line) => ({ ...shape([line], true), number, diagram })),
]);
// Policies lie below projects, and areas below lines.
shapes.sort((a, b) => !!b.diagram.policy - !!a.diagram.policy || a.isLine - b.isLine);

const isShown = (found, view) =>
  shown.systems[found.diagram.system] && (found.diagram.policy ? shown.policies : shown.projects) &&
  (!view.members || view.members.has(found.number));

// Drawing on the tiles of Leaflet.

function trace(context, found, size, left, top) {
  context.beginPath();
  for (const line of found.lines) {
    let lastX = NaN, lastY = NaN;
    const end = line.length - 2;
    for (let index = 0; index <= end; index += 2) {
      const x = line[index] * size - left, y = line[index + 1] * size - top;
      // Positions closer than most of a pixel are not seen.
      if (index === 0) context.moveTo(x, y);
      else if (Math.abs(x - lastX) + Math.abs(y - lastY) < 0.7 && index !== end) continue;
      else context.lineTo(x, y);
      lastX = x;
      lastY = y;
    }
    if (!found.isLine) context.closePath();
  }
}

// What lies on the colour of a system, so that systems are told apart without colours.
function overlay(context, path, scale = 1) {
  const cell = document.createElement("canvas");
  cell.width = cell.height = data.pattern_size * scale;
  const lines = cell.getContext("2d");
  lines.scale(scale, scale);
  lines.strokeStyle = ink;
  lines.lineWidth = 1.3;
  lines.globalAlpha = 0.55;
  lines.stroke(new Path2D(path));
  return context.createPattern(cell, "repeat");
}

function hatch(context) {
  const cell = document.createElement("canvas");
  cell.width = cell.height = 8;
  const lines = cell.getContext("2d");
  lines.strokeStyle = ink;
  lines.globalAlpha = 0.45;
  for (const shift of [-8, 0, 8]) {
    lines.moveTo(shift, 8);
    lines.lineTo(shift + 8, 0);
  }
  lines.stroke();
  return context.createPattern(cell, "repeat");
}

const Shapes = L.GridLayer.extend({
  options: { tileSize: TILE, updateWhenZooming: false, keepBuffer: 2 },

  initialize(view) {
    L.setOptions(this, { pane: "overlayPane", className: "shapes" });
    this.view = view;
    this.tiles = new Map();
    this.queue = new Set();
    this.on("tileunload", (event) => {
      this.tiles.delete(event.tile);
      this.queue.delete(event.tile);
    });
  },

  createTile(place, done) {
    const tile = document.createElement("canvas");
    // Between whole zooms tiles are shown a little larger than they are.
    const ratio = 1.25 * Math.max(1, Math.min(2, window.devicePixelRatio || 1));
    tile.width = tile.height = TILE * ratio;
    this.tiles.set(tile, { place: { ...place }, done, ratio });
    this.enqueue(tile);
    return tile;
  },

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

  repaint() {
    for (const tile of this.tiles.keys()) this.enqueue(tile);
  },

  paint(tile, { place, ratio }) {
    // With `willReadFrequently` a tile is drawn at once, so that the time of a frame is known, and not when it is shown.
    const context = tile.getContext("2d", { willReadFrequently: true });
    const size = 256 * 2 ** place.z;
    const left = place.x * TILE, top = place.y * TILE;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, TILE, TILE);
    const west = (left - 4) / size, north = (top - 4) / size;
    const east = (left + TILE + 4) / size, south = (top + TILE + 4) / size;
    const overlays = data.systems.map((system) => system.pattern && overlay(context, system.pattern));
    const draw = (found, fill, alpha, stroke, width, dash, lines) => {
      if (found.east < west || found.west > east || found.south < north || found.north > south) return;
      trace(context, found, size, left, top);
      if (fill && !found.isLine) {
        context.globalAlpha = alpha;
        context.fillStyle = fill;
        context.fill("evenodd");
        if (lines) {
          context.globalAlpha = 1;
          context.fillStyle = lines;
          context.fill("evenodd");
        }
      }
      if (stroke) {
        context.globalAlpha = 1;
        context.strokeStyle = stroke;
        context.lineWidth = width;
        context.setLineDash(dash || []);
        context.stroke();
      }
    };
    context.lineJoin = context.lineCap = "round";
    if (shown.boundary) for (const found of boundary) draw(found, land, data.basemap ? 0 : 1, null);
    if (shown.evaluation >= 0) {
      const classes = data.evaluations[shown.evaluation].classes;
      for (const found of evaluations[shown.evaluation]) draw(found, classes[found.kind].color, data.basemap ? 0.75 : 1, null);
    }
    if (shown.constraints && constraints.length) {
      const pattern = hatch(context);
      // The pattern goes on from tile to tile, because a tile is a multiple of it.
      for (const found of constraints) draw(found, pattern, 1, ink, 0.5);
    }
    if (shown.boundary) for (const found of boundary) draw(found, null, 0, ink, 1.2);
    for (const found of shapes) {
      if (!isShown(found, this.view)) continue;
      const hue = data.systems[found.diagram.system].color;
      if (found.diagram.policy) draw(found, hue, 0.1, hue, found.isLine ? 3 : 1.6, [6, 4]);
      // Classes do not overlap, and look as in the legend.
      else draw(found, hue, data.legend === "Classes" ? 1 : 0.6, hue, found.isLine ? 3 : 1, null, overlays[found.diagram.system]);
    }
  },
});
