// A file that the browser saves like a download.

import { element } from "../map/elements.js";

// Milliseconds in which a browser has to start saving.
const KEPT_SECONDS = 60;

/** @param {Blob} content @param {string} name of the file */
export function saveFile(content, name) {
  const link = element("a", { href: URL.createObjectURL(content), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_SECONDS * 1000);
}
