// The frame of all our widgets in a cell: a shadow root, our style sheet, and the notebook's light or dark theme.

import pageStyle from "../page.css";
import { element } from "../map/elements.js";
import frameStyle from "./frame.css";

/**
 * A widget's frame, in the shadow root of the notebook's element, so that styles do not cross between them.
 * @param {HTMLElement} holder @param {string | null} theme "light" or "dark"; null follows the notebook @param {...string} styles
 */
export function frameIn(holder, theme, ...styles) {
  const root = holder.shadowRoot ?? holder.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(inRoot([pageStyle, ...styles, frameStyle].join("\n")));
  root.adoptedStyleSheets = [sheet];
  // JupyterLab takes Enter and Delete unless an attribute forbids it, on an element that it can see: outside of the root.
  holder.dataset.lmSuppressShortcuts = "true";
  const frame = element("div", { className: `frame ${isDark(theme) ? "dark" : "light"}` });
  root.replaceChildren(frame);
  return { root, frame };
}

/** Adapts a page's style to a widget's root: `:root` becomes `:host`, and rules for the complete page are left out. @param {string} style */
function inRoot(style) {
  return style.replaceAll(":root", ":host").replace(/(^|\n)(html, )?body \{[^}]*\}/g, "\n");
}

/** @param {string | null} theme */
function isDark(theme) {
  const { body } = document;
  return theme ? theme === "dark" : body.dataset.jpThemeLight === "false" || body.classList.contains("dark") || body.classList.contains("vscode-dark");
}
