// The room's texts in the reader's language, or in English where one is missing; numbers, lists and dates in the reader's format.

import english from "./texts/en.js";

/** @typedef {keyof typeof english} TextName */

/** The languages that have a file, and their names in themselves. */
const LANGUAGES = {
  ar: "العربية", de: "Deutsch", en: "English", es: "Español", fr: "Français", it: "Italiano", "pt-BR": "Português (Brasil)",
};
const RIGHT_TO_LEFT = ["ar"];
/** @type {Partial<Record<TextName, string>>} */
let texts = english;
let language = "en";

export const languages = () => Object.entries(LANGUAGES);

export const currentLanguage = () => language;

/** Value of `dir` for a page in the current language. */
export const direction = () => (RIGHT_TO_LEFT.includes(language) ? "rtl" : "ltr");

/** A tag without its region: `pt` of `pt-BR`. @param {string} tag */
const withoutRegion = (tag) => tag.split("-")[0];

/** The language with a file that is closest to a tag: itself, or another region's. @param {string} tag */
function closestTo(tag) {
  const known = Object.keys(LANGUAGES);
  return known.find((name) => name === tag) ?? known.find((name) => withoutRegion(name) === withoutRegion(tag));
}

/**
 * Takes the first language of these that has a file, or English.
 * @param {readonly string[]} wanted such as `["de-AT", "en"]`
 */
export async function chooseLanguage(wanted) {
  const found = wanted.map(closestTo).find(Boolean) ?? "en";
  texts = await textsOf(found);
  language = found;
}

/** @param {string} tag @returns {Promise<typeof texts>} */
const textsOf = async (tag) => (tag === "en" ? english : { ...english, ...(await import(`./texts/${tag}.js`)).default });

/**
 * Makes something for other readers, such as cards, in their language; in the current one if it has no file.
 * @template Made @param {string} wanted @param {() => Made} make @returns {Promise<Made>}
 */
export async function inLanguage(wanted, make) {
  const other = closestTo(wanted) ?? language;
  const [found, own] = [await textsOf(other), { language, texts }];
  [language, texts] = [other, found];
  try {
    return make();
  } finally {
    ({ language, texts } = own);
  }
}

/** How numbers and dates are written: as in the browser's own variety of the language. */
function locale() {
  return navigator.languages.find((tag) => withoutRegion(tag) === withoutRegion(language)) || language;
}

/** @type {Map<string, any>} */
const formats = new Map();

/**
 * A format of `Intl` in the reader's language. Browsers take long to make one: each is kept.
 * @template Format, Options
 * @param {new (locale: string, options?: Options) => Format} kind @param {Options} [options] @returns {Format}
 */
function formatOf(kind, options) {
  const key = [kind.name, locale(), JSON.stringify(options)].join(" ");
  if (!formats.has(key)) formats.set(key, new kind(locale(), options));
  return formats.get(key);
}

/**
 * A text, with values in place of `{name}`, in the form for `count`.
 * @param {TextName} name @param {Record<string, string | number>} [values]
 */
export function t(name, values = {}) {
  return formOf(texts[name] ?? name, Number(values.count)).replace(/\{(\w+)\}/g, (_, key) => {
    const value = values[key];
    return typeof value === "number" ? number(value) : isolated(String(value ?? ""));
  });
}

/**
 * A text's form for a count. Forms stand between `|`: one for one and one for other counts, or each with its category of
 * `Intl.PluralRules` before it, as in `one:…|few:…|other:…`.
 * @param {string} text @param {number} count
 */
function formOf(text, count) {
  const forms = text.split("|");
  if (forms.length === 1) return text;
  const category = formatOf(Intl.PluralRules).select(count);
  const named = [category, "other"].map((kind) => forms.find((form) => form.startsWith(`${kind}:`))).find(Boolean);
  return named ? named.slice(named.indexOf(":") + 1) : forms[category === "one" ? 0 : 1];
}

/** A value that keeps its own direction beside others, in a language from right to left. @param {string} value */
const isolated = (value) => (direction() === "rtl" ? `\u2068${value}\u2069` : value);

/** A name and what it stands for. @param {string} name @param {string | undefined} text */
export const labelled = (name, text) => t("labelled", { name, text: text ?? "" });

/** The text of one of the service's codes, such as the class `green2`; without a text, the code itself. @param {string} kind @param {string} code */
export function wordFor(kind, code) {
  const name = /** @type {TextName} */ (`${kind}_${code}`);
  return name in texts ? t(name) : code.replace(/_/g, " ");
}

/** Names in a row: A, B, C. @param {string[]} names */
export const listed = (names) => formatOf(Intl.ListFormat, { type: "unit" }).format(names.map(isolated));

/** @param {number} value @param {Intl.NumberFormatOptions} options */
const figure = (value, options) => isolated(formatOf(Intl.NumberFormat, options).format(value));

/** @param {Date | number} time @param {Intl.DateTimeFormatOptions} options */
const date = (time, options) => isolated(formatOf(Intl.DateTimeFormat, options).format(time));

/** @param {number} value @param {number} [digits] after the point */
export const number = (value, digits = 0) => figure(value, { maximumFractionDigits: digits });

let currency = "";

/** Sets the currency of the project, such as USD; empty where it has none. @param {string} name */
export function setCurrency(name) {
  currency = name;
}

/** An amount with its currency: a sign where the language has one for a code such as USD. @param {number} value @param {Intl.NumberFormatOptions} options */
function amount(value, options) {
  const hasSign = /^[A-Z]{3}$/.test(currency);
  const parts = formatOf(Intl.NumberFormat, hasSign ? { ...options, style: "currency", currency } : options).formatToParts(value);
  const text = parts.map((part) => (part.type === "compact" && language === "en" ? ENGLISH[part.value] ?? part.value : part.value)).join("");
  return `${isolated(text)}${!hasSign && currency ? `\u00a0${currency}` : ""}`;
}

/** Units of amounts as in Python, which English browsers write as K and B. @type {Record<string, string>} */
const ENGLISH = { K: "\u00a0k", M: "\u00a0M", B: "\u00a0bn", T: "\u00a0tn" };

/** Options for three significant digits; zero has one. @param {number} value */
const threeDigits = (value) => ({ minimumSignificantDigits: value ? 3 : 1, maximumSignificantDigits: 3 });

/** Money, to the cent. @param {number} value */
export const exactMoney = (value) => amount(value, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Money, rounded: 61.2 M. @param {number} value */
export const money = (value) => amount(value, { notation: "compact", ...threeDigits(value) });

/** Options for three significant digits; from 100 on, for whole numbers. @param {number} value */
const size = (value) => (Math.abs(value) < 99.95 ? threeDigits(value) : { maximumFractionDigits: 0 });

/** A number with its unit, on one line. @param {number} value @param {string} unit of `Intl` */
const measure = (value, unit) => figure(value, { style: "unit", unit, ...size(value) }).replace(" ", "\u00a0");

/** @param {number} value */
export const hectares = (value) => measure(value, "hectare");

/** @param {number} value */
export const kilometres = (value) => measure(value, "kilometer");

/** The sizes that something has: 12.5 ha · 3 pieces. Empty for none. @param {{area?: number, length?: number, pieces?: number}} sizes hectares, kilometres, points */
export const sizes = ({ area = 0, length = 0, pieces = 0 }) =>
  [area > 0 && hectares(area), length > 0 && kilometres(length), pieces > 0 && t("pieceCount", { count: pieces })].filter(Boolean).join(" · ");

/** @param {number} value */
export const squareMetres = (value) => `${number(value)}\u00a0m²`;

/** @param {number} value */
export const metres = (value) => figure(value, { style: "unit", unit: "meter", maximumFractionDigits: 0 }).replace(" ", "\u00a0");

/** A number with its sign: +2, −1, 0. @param {number} value */
export const signed = (value) => figure(value, { signDisplay: "exceptZero" }).replace("-", "−");

/** @param {number} value from 0 to 1 */
export const percent = (value) => figure(value, { style: "percent", maximumFractionDigits: value < 0.01 ? 1 : 0 });

/** A time of the service, which is in UTC. @param {string} text */
export const timeOf = (text) => new Date(/[zZ]$|[+-]\d\d:\d\d$/.test(text) ? text : `${text.replace(" ", "T")}Z`);

/** The same as it is written here. @param {string} text */
export function moment(text) {
  const time = timeOf(text);
  return Number.isNaN(time.getTime()) ? text : date(time, { dateStyle: "medium", timeStyle: "short" });
}

/** The time of day. @param {number} time in milliseconds */
export const timeOfDay = (time) => date(time, { timeStyle: "short" });

/** A day. @param {string} text YYYY-MM-DD */
export function day(text) {
  const time = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(time.getTime()) ? text : date(time, { dateStyle: "medium", timeZone: "UTC" });
}
