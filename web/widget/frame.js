// What every widget of ours in a cell has around it: a root of its own, our style sheet, and light or dark as the notebook is.

import pageStyle from "../page.css";
import { element } from "../map/elements.js";
import frameStyle from "./frame.css";

/**
 * The frame of a widget, in the shadow root of what the notebook gives, so that styles of neither reach the other.
 * @param {HTMLElement} holder @param {string | null} theme "light" or "dark"; null is as the notebook is @param {...string} styles
 */
export function frameIn(holder, theme, ...styles) {
  const root = holder.shadowRoot ?? holder.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(inRoot([pageStyle, ...styles, frameStyle].join("\n")));
  root.adoptedStyleSheets = [sheet];
  // JupyterLab takes Enter and Delete from what is inside unless it is told so, where it sees it: outside of the root.
  holder.dataset.lmSuppressShortcuts = "true";
  const frame = element("div", { className: `frame ${isDark(theme) ? "dark" : "light"}` });
  root.replaceChildren(frame);
  return { root, frame };
}

/** Within the root of a widget, `:host` is what `:root` is in a page; what styles a whole page stays out. @param {string} style */
function inRoot(style) {
  return style.replaceAll(":root", ":host").replace(/(^|\n)(html, )?body \{[^}]*\}/g, "\n");
}

/** @param {string | null} theme */
function isDark(theme) {
  const { body } = document;
  return theme ? theme === "dark" : body.dataset.jpThemeLight === "false" || body.classList.contains("dark") || body.classList.contains("vscode-dark");
}
