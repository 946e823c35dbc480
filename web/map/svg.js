// A pen that makes SVG elements: the same program paints on a canvas and draws for paper.

const SVG = "http://www.w3.org/2000/svg";
// Decimals of a pixel, which is 1/96 inch: a hundredth is finer than a printer prints.
const DIGITS = 2;
const NUMBER = /-?[\d.]+/g;

/** Number of drawings so far, which keeps the ids of clip paths unique in a page. */
let drawings = 0;

/**
 * An element of SVG.
 * @param {string} name @param {Record<string, string | number>} [attributes] @param {...Node} children
 * @returns {SVGElement}
 */
export function svgElement(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

/**
 * Lines in a square that is repeated.
 * @typedef {{path: string, size: number, ink: string, alpha: number, width: number, scale: number}} Repeat
 */

/** The part of a canvas context that maps, samples and codes are drawn with. The drawing is in `element`. */
export class SvgPen {
  /** @param {number} width pixels @param {number} height pixels @param {string} name description for screen readers; empty for a decoration */
  constructor(width, height, name = "") {
    this.element = svgElement("svg", { width, height, viewBox: `0 0 ${width} ${height}`, ...(name ? { role: "img", "aria-label": name } : { "aria-hidden": "true" }) });
    this.id = `drawing-${(drawings += 1)}`;
    this.width = width;
    this.height = height;
    this.cuts = 0;
    /** @type {Map<string, Repeat>} */
    this.repeats = new Map();
    this.path = "";
    /** @type {string | CanvasGradient | CanvasPattern} */
    this.fillStyle = "#000000";
    /** @type {string | CanvasGradient | CanvasPattern} */
    this.strokeStyle = "#000000";
    this.globalAlpha = 1;
    this.lineWidth = 1;
    /** @type {CanvasLineJoin} */
    this.lineJoin = "miter";
    /** @type {CanvasLineCap} */
    this.lineCap = "butt";
    /** @type {number[]} */
    this.dash = [];
  }

  beginPath() {
    this.path = "";
  }

  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.path += `M${rounded(x)} ${rounded(y)}`;
  }

  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    this.path += `L${rounded(x)} ${rounded(y)}`;
  }

  closePath() {
    this.path += "Z";
  }

  /** @param {number[]} dash */
  setLineDash(dash) {
    this.dash = dash;
  }

  /** @param {CanvasFillRule} [rule] */
  fill(rule = "nonzero") {
    if (!this.globalAlpha) return;
    const repeat = this.repeats.get(String(this.fillStyle));
    if (repeat) this.fillWithLines(repeat, rule);
    else this.add("path", { d: this.path, "fill-rule": rule, ...this.filled() });
  }

  /**
   * Lines where the path is. Browsers print a `<pattern>` as a picture of a few pixels, so all lines are drawn, and cut at its edge.
   * @param {Repeat} repeat @param {CanvasFillRule} rule
   */
  fillWithLines({ path, size, ink, alpha, width, scale }, rule) {
    const numbers = (this.path.match(NUMBER) ?? []).map(Number);
    const sides = [this.width, this.height].map((side, axis) => {
      const found = numbers.filter((_, place) => place % 2 === axis);
      const least = found.reduce((a, b) => Math.min(a, b), side), most = found.reduce((a, b) => Math.max(a, b), 0);
      return [Math.floor(Math.max(0, least) / size), Math.ceil(Math.min(side, most) / size)];
    });
    let lines = "";
    for (let x = sides[0][0]; x < sides[0][1]; x += 1) {
      for (let y = sides[1][0]; y < sides[1][1]; y += 1) lines += moved(path, scale, x * size, y * size);
    }
    if (!lines) return;
    const id = `${this.id}-${(this.cuts += 1)}`;
    this.element.append(
      svgElement("clipPath", { id }, svgElement("path", { d: this.path, "clip-rule": rule })),
      svgElement("g", { "clip-path": `url(#${id})` },
        svgElement("path", { d: lines, fill: "none", stroke: ink, "stroke-width": width * scale, "stroke-opacity": alpha * this.globalAlpha })));
  }

  stroke() {
    if (this.globalAlpha) this.add("path", { d: this.path, ...this.stroked() });
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  fillRect(x, y, width, height) {
    if (!this.repeats.has(String(this.fillStyle))) {
      this.add("rect", { x, y, width, height, ...this.filled() });
      return;
    }
    this.path = `M${x} ${y}L${x + width} ${y}L${x + width} ${y + height}L${x} ${y + height}Z`;
    this.fill();
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  strokeRect(x, y, width, height) {
    this.add("rect", { x, y, width, height, ...this.stroked() });
  }

  /** A picture by its address. @param {string} href @param {number} x @param {number} y @param {number} width @param {number} height */
  picture(href, x, y, width, height) {
    return this.add("image", { href, x, y, width, height, preserveAspectRatio: "none" });
  }

  /**
   * Lines in a square that is repeated, as a value of `fillStyle`.
   * @param {string} path the data of an SVG path @param {number} size pixels of the square @param {string} ink
   * @param {number} alpha @param {number} width of the lines @param {number} scale of the lines in the square
   */
  repeat(path, size, ink, alpha, width, scale) {
    const key = ["repeat", path, size, ink, alpha, width, scale].join(" ");
    this.repeats.set(key, { path, size, ink, alpha, width, scale });
    return key;
  }

  filled() {
    return { fill: String(this.fillStyle), "fill-opacity": this.globalAlpha };
  }

  stroked() {
    return { fill: "none", stroke: String(this.strokeStyle), "stroke-opacity": this.globalAlpha, "stroke-width": this.lineWidth,
      "stroke-linejoin": this.lineJoin, "stroke-linecap": this.lineCap, ...(this.dash.length ? { "stroke-dasharray": this.dash.join(" ") } : {}) };
  }

  /** @param {string} name @param {Record<string, string | number>} attributes */
  add(name, attributes) {
    const made = svgElement(name, attributes);
    this.element.append(made);
    return made;
  }
}

/**
 * The data of a path, scaled and moved. Lower-case commands are relative: they are scaled only.
 * @param {string} path @param {number} scale @param {number} right @param {number} down
 */
function moved(path, scale, right, down) {
  return path.replace(/([A-Za-z])([^A-Za-z]*)/g, (_, command, values) => {
    const numbers = (values.match(NUMBER) ?? []).map(Number);
    const shift = (/** @type {number} */ place) => (command === "H" || (command !== "V" && place % 2 === 0) ? right : down);
    const isRelative = command !== command.toUpperCase();
    // The third, fourth and fifth of an arc's seven values are no lengths.
    const isLength = (/** @type {number} */ place) => command !== "a" || place % 7 < 2 || place % 7 > 4;
    return command + numbers.map((/** @type {number} */ value, /** @type {number} */ place) =>
      rounded(isLength(place) ? value * scale + (isRelative ? 0 : shift(place)) : value)).join(" ");
  });
}

/** @param {number} value */
const rounded = (value) => Number(value.toFixed(DIGITS));
