// Questions in dialogs of the page: before something that is hard to take back, and for a reason.

import { button, element } from "../map/elements.js";
import { t } from "./texts.js";

/**
 * Asks for yes or no. @param {string} text @param {string} action the button that means yes
 * @param {Node} [near] a part of the page that asks, if it may be in the cell of a notebook
 * @returns {Promise<boolean>} false if the dialog is closed in any other way
 */
export async function ask(text, action, near) {
  const asked = element("p", { id: "asked" }, text);
  return (await answered(asked, [], action, near)) === "yes";
}

/** Asks for a text, which may stay empty. @param {string} text @param {string} action @returns {Promise<string | null>} null if the dialog is closed in any other way */
export async function askText(text, action) {
  const field = element("input", { type: "text", maxLength: 500 });
  const asked = element("label", { id: "asked", className: "field" }, element("span", {}, text), field);
  return (await answered(asked, [field], action)) === "yes" ? field.value.trim() : null;
}

/** @param {HTMLElement} asked @param {HTMLInputElement[]} fields in which Enter means yes @param {string} action @param {Node} [near] @returns {Promise<string>} */
function answered(asked, fields, action, near) {
  const dialog = element("dialog", { className: "ask", "aria-labelledby": "asked" });
  dialog.append(asked, element("div", { className: "buttons" },
    button(action, () => dialog.close("yes"), { className: "main" }), button(t("cancel"), () => dialog.close())));
  for (const field of fields) field.addEventListener("keydown", ({ key }) => key === "Enter" && dialog.close("yes"));
  const root = near?.getRootNode();
  const frame = root instanceof ShadowRoot ? root.querySelector(".frame") : null;
  (frame ?? document.body).append(dialog);
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => {
    dialog.remove();
    resolve(dialog.returnValue);
  }));
}
