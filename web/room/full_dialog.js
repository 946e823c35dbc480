// A dialog over the complete page.

import { button, element } from "../map/elements.js";
import { iconButton } from "../map/icons.js";
import { t } from "./texts.js";

/**
 * Opens the dialog, and removes it when it is closed.
 * @param {string} name its class; the prefix of its heading's id @param {string} title @param {(Node | null)[]} content
 * @returns {{dialog: HTMLDialogElement, closing: AbortSignal}} `closing` is aborted when the dialog is closed
 */
export function openFull(name, title, content) {
  const dialog = element("dialog", { className: `full ${name}`, "aria-labelledby": `${name}-title` });
  const over = new AbortController();
  dialog.addEventListener("close", () => {
    over.abort();
    dialog.remove();
  });
  dialog.append(
    element("header", { className: "bar" }, element("h1", { id: `${name}-title` }, title), iconButton("X", t("close"), () => dialog.close())),
    ...content.filter((part) => part !== null));
  document.body.append(dialog);
  dialog.showModal();
  return { dialog, closing: over.signal };
}
