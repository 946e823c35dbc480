// A pen that makes elements of SVG: what is painted on a canvas is drawn for paper by the same program.

const SVG = "http://www.w3.org/2000/svg";
// Digits after the point of a pixel, of which an inch has 96: a hundredth is less than a printer prints.
const DIGITS = 2;

/** How many drawings there were: ids of patterns are different in all of a page. */
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

/** The part of a canvas' context that maps, samples and codes are drawn with. What is drawn is in `element`. */
export class SvgPen {
  /** @param {number} width pixels @param {number} height pixels @param {string} name what it shows, for who does not see it; empty for a decoration */
  constructor(width, height, name = "") {
    this.element = svgElement("svg", { width, height, viewBox: `0 0 ${width} ${height}`, ...(name ? { role: "img", "aria-label": name } : { "aria-hidden": "true" }) });
    this.id = `drawing-${(drawings += 1)}`;
    /** @type {Map<string, string>} */
    this.patterns = new Map();
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
    if (this.globalAlpha) this.add("path", { d: this.path, "fill-rule": rule, ...this.filled() });
  }

  stroke() {
    if (this.globalAlpha) this.add("path", { d: this.path, ...this.stroked() });
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  fillRect(x, y, width, height) {
    this.add("rect", { x, y, width, height, ...this.filled() });
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
    const key = [path, size, ink, alpha, width, scale].join(" ");
    const id = this.patterns.get(key) ?? `${this.id}-${this.patterns.size}`;
    if (!this.patterns.has(key)) {
      this.patterns.set(key, id);
      this.element.prepend(svgElement("pattern", { id, width: size, height: size, patternUnits: "userSpaceOnUse" },
        svgElement("path", { d: path, fill: "none", stroke: ink, "stroke-width": width, "stroke-opacity": alpha, transform: `scale(${scale})` })));
    }
    return `url(#${id})`;
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

/** @param {number} value */
const rounded = (value) => Number(value.toFixed(DIGITS));
