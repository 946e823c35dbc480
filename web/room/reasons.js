// Reasons of failures, as sentences for the page.

import { UnreadableFile } from "./geojson_file.js";
import { Refused } from "./failures.js";
import { t } from "./texts.js";

/** The service's message, a file's fault, or a sentence that the service does not respond. @param {unknown} error */
export const reasonOf = (error) => (error instanceof Refused || error instanceof UnreadableFile ? error.message : t("noService"));
