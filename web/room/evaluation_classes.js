// The classes of evaluation maps: their order, colours, and words in the reader's language.

import { element } from "../map/elements.js";
import { EVALUATION_CLASSES, OTHER_EVALUATION_COLOR } from "./evaluation_table.js";
import { currentLanguage } from "./texts.js";

/** The codes, from where change is least wanted to where it is most wanted. */
export const CLASSES = EVALUATION_CLASSES.map(({ areatype }) => areatype);

/** Rows by their code, and by their word in each language. A large map asks for each of its areas. */
const ROWS = new Map(EVALUATION_CLASSES.flatMap((row) => [row.areatype, ...Object.values(row.words)].map((word) => [word.toLowerCase(), row])));

/** The row for a code, or for a word in any language. @param {string} text */
const rowOf = (text) => ROWS.get(text.trim().toLowerCase());

/** The code of a class, given as code or in words; any other text as it is. @param {string} text */
export const classOf = (text) => rowOf(text)?.areatype ?? text;

/** @param {string} text a code or a word */
export const classColor = (text) => rowOf(text)?.color ?? OTHER_EVALUATION_COLOR;

/** The word for a class in the reader's language; any other text as it is. @param {string} text */
export const classWord = (text) => rowOf(text)?.words[currentLanguage()] ?? text.replace(/_/g, " ");

/** A square in the colour of a class. @param {string} text */
export function classMark(text) {
  const mark = element("span", { className: "swatch", ariaHidden: "true" });
  mark.style.background = classColor(text);
  return mark;
}
