// Why something failed, for who reads it on the page.

import { UnreadableFile } from "./geojson_file.js";
import { Refused } from "./failures.js";
import { t } from "./texts.js";

/** What the service said, what is wrong with a file, or that the service does not answer. @param {unknown} error */
export const reasonOf = (error) => (error instanceof Refused || error instanceof UnreadableFile ? error.message : t("noService"));
