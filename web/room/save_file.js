// A file that the browser saves as if it were downloaded.

import { element } from "../map/elements.js";

// How long a browser may take to begin.
const KEPT_SECONDS = 60;

/** @param {Blob} content @param {string} name of the file */
export function saveFile(content, name) {
  const link = element("a", { href: URL.createObjectURL(content), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_SECONDS * 1000);
}
