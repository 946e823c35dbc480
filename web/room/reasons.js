// Why something failed, for who reads it on the page.

import { Refused } from "./service.js";
import { t } from "./texts.js";

/** What the service said, or that it does not answer. @param {unknown} error */
export const reasonOf = (error) => (error instanceof Refused ? error.message : t("noService"));
