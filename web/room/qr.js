// QR codes, for phones to scan from a screen or a card.

import { pen } from "../map/paint.js";
import { element } from "../map/elements.js";
import { SvgPen } from "../map/svg.js";
import { encode } from "../vendor/qr.js";

/** @import { Pen } from "../map/paint.js" */

// White cells around the code, by which cameras find it.
const BORDER = 3;

/**
 * A text's code, dark on white in both themes.
 * @param {string} text @param {string} name its destination, for screen readers @param {number} [cell] pixels of a cell
 */
export function qrCode(text, name, cell = 6) {
  const code = codeOf(text);
  const canvas = element("canvas", { className: "qr", width: code.size * cell, height: code.size * cell, role: "img", ariaLabel: name });
  drawCode(pen(canvas), code, cell);
  return canvas;
}

/** A text's code as SVG, for paper. @param {string} text @param {string} name @param {number} [cell] pixels of a cell */
export function qrDrawing(text, name, cell = 6) {
  const code = codeOf(text);
  const drawing = new SvgPen(code.size * cell, code.size * cell, name);
  drawing.element.setAttribute("class", "qr");
  drawing.element.setAttribute("shape-rendering", "crispEdges");
  drawCode(drawing, code, cell);
  return drawing.element;
}

/** @param {string} text */
const codeOf = (text) => encode(text, { ecc: "M", border: BORDER });

/** @param {Pen} context @param {{data: boolean[][], size: number}} code @param {number} cell */
function drawCode(context, { data, size }, cell) {
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, size * cell, size * cell);
  context.fillStyle = "#000000";
  data.forEach((row, y) => row.forEach((isDark, x) => isDark && context.fillRect(x * cell, y * cell, cell, cell)));
}
