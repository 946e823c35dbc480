// Icons of buttons: drawings with the colour of the text beside them.

import * as drawings from "../vendor/icons.js";
import { element } from "./elements.js";

/** @typedef {keyof typeof drawings} IconName */

const SVG = "http://www.w3.org/2000/svg";

/** An icon. A screen reader skips it: the button has a name. @param {IconName} name */
export function icon(name) {
  const made = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" })) made.setAttribute(key, value);
  for (const [tag, attributes] of drawings[name]) {
    const part = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, String(value));
    made.append(part);
  }
  return made;
}

/**
 * A button with an icon before its text.
 * @param {IconName} name @param {string} text @param {(event: MouseEvent) => void} action @param {Record<string, any>} [properties]
 */
export function labelledButton(name, text, action, properties = {}) {
  const made = element("button", { type: "button", ...properties }, icon(name), element("span", {}, text));
  made.addEventListener("click", action);
  return made;
}

/**
 * A button with an icon alone, and its text as a tooltip.
 * @param {IconName} name @param {string} text @param {(event: MouseEvent) => void} action @param {Record<string, any>} [properties]
 */
export function iconButton(name, text, action, properties = {}) {
  const made = element("button", { type: "button", title: text, ariaLabel: text, ...properties }, icon(name));
  made.addEventListener("click", action);
  return made;
}
