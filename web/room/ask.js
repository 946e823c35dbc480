// A question before something that is hard to take back.

import { button, element } from "../map/elements.js";
import { t } from "./texts.js";

/**
 * Asks in a dialog of the page. @param {string} text @param {string} action the button that means yes
 * @returns {Promise<boolean>} false if the dialog is closed in any other way
 */
export function ask(text, action) {
  const dialog = element("dialog", { className: "ask", "aria-labelledby": "asked" });
  dialog.append(element("p", { id: "asked" }, text), element("div", { className: "buttons" },
    button(action, () => dialog.close("yes"), { className: "main" }), button(t("cancel"), () => dialog.close())));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => {
    dialog.remove();
    resolve(dialog.returnValue === "yes");
  }));
}
