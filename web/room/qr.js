// QR codes, which phones scan from a screen or a card.

import { pen } from "../map/paint.js";
import { element } from "../map/elements.js";
import { encode } from "../vendor/qr.js";

// Cells around the code that stay white, so that cameras find it.
const BORDER = 3;

/**
 * The code of a text, dark on white in both themes.
 * @param {string} text @param {string} name what it leads to, for who does not see it @param {number} [cell] pixels of a cell
 */
export function qrCode(text, name, cell = 6) {
  const { data, size } = encode(text, { ecc: "M", border: BORDER });
  const canvas = element("canvas", { className: "qr", width: size * cell, height: size * cell, role: "img", ariaLabel: name });
  const context = pen(canvas);
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = "#000000";
  data.forEach((row, y) => row.forEach((isDark, x) => isDark && context.fillRect(x * cell, y * cell, cell, cell)));
  return canvas;
}
