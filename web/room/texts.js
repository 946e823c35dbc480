// What the pages say, in the language of the browser where there is a file of it; numbers and dates as the browser writes them.

import english from "./texts/en.js";

/** @typedef {keyof typeof english} TextName */

const LANGUAGES = { en: "English", de: "Deutsch" };
/** @type {Partial<Record<TextName, string>>} */
let texts = english;
let language = "en";

/** The languages, and their names in themselves. */
export const languages = () => Object.entries(LANGUAGES);

export const currentLanguage = () => language;

/**
 * Takes the first language of these that there is.
 * @param {readonly string[]} wanted such as `["de-AT", "en"]`
 */
export async function chooseLanguage(wanted) {
  language = wanted.map((tag) => tag.split("-")[0]).find((tag) => tag in LANGUAGES) || "en";
  texts = language === "en" ? english : { ...english, ...(await import(`./texts/${language}.js`)).default };
}

/** How numbers and dates are written: as in the browser's own variety of the language. */
function locale() {
  return navigator.languages.find((tag) => tag.split("-")[0] === language) || language;
}

/**
 * A text, with values in place of `{name}`. Of a text with `|`, the first part is for one, the other for other counts.
 * @param {TextName} name @param {Record<string, string | number>} [values]
 */
export function t(name, values = {}) {
  const forms = (texts[name] || name).split("|");
  const isOne = typeof values.count === "number" && new Intl.PluralRules(locale()).select(values.count) === "one";
  return forms[forms.length > 1 && !isOne ? 1 : 0].replace(/\{(\w+)\}/g, (_, key) => {
    const value = values[key];
    return typeof value === "number" ? number(value) : String(value ?? "");
  });
}

/** @param {number} value @param {number} [digits] after the point */
export function number(value, digits = 0) {
  return new Intl.NumberFormat(locale(), { maximumFractionDigits: digits }).format(value);
}

let currency = "";

/** Sets the currency of the project, such as USD; empty where it has none. @param {string} name */
export function setCurrency(name) {
  currency = name;
}

/** An amount with its currency: a sign where the language has one for a code such as USD. @param {number} value @param {Intl.NumberFormatOptions} options */
function amount(value, options) {
  const hasSign = /^[A-Z]{3}$/.test(currency);
  const parts = new Intl.NumberFormat(locale(), hasSign ? { ...options, style: "currency", currency } : options).formatToParts(value);
  const text = parts.map((part) => (part.type === "compact" && language === "en" ? ENGLISH[part.value] ?? part.value : part.value)).join("");
  return `${text}${!hasSign && currency ? `\u00a0${currency}` : ""}`;
}

/** Units of amounts as in Python, which English browsers write as K and B. @type {Record<string, string>} */
const ENGLISH = { K: "\u00a0k", M: "\u00a0M", B: "\u00a0bn", T: "\u00a0tn" };

/** Options for three significant digits; zero has one. @param {number} value */
const threeDigits = (value) => ({ minimumSignificantDigits: value ? 3 : 1, maximumSignificantDigits: 3 });

/** Money, to the cent. @param {number} value */
export const exactMoney = (value) => amount(value, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Money, rounded: 61.2 M. @param {number} value */
export const money = (value) => amount(value, { notation: "compact", ...threeDigits(value) });

/** Three significant digits; from 100 on, whole numbers. @param {number} value */
const size = (value) => new Intl.NumberFormat(locale(), Math.abs(value) < 99.95 ? threeDigits(value) : { maximumFractionDigits: 0 }).format(value);

/** @param {number} value */
export const hectares = (value) => `${size(value)}\u00a0ha`;

/** @param {number} value */
export const kilometres = (value) => `${size(value)}\u00a0km`;

/** @param {number} value from 0 to 1 */
export function percent(value) {
  return new Intl.NumberFormat(locale(), { style: "percent", maximumFractionDigits: value < 0.01 ? 1 : 0 }).format(value);
}

/** A time of the service, which is in UTC. @param {string} text */
export const timeOf = (text) => new Date(/[zZ]$|[+-]\d\d:\d\d$/.test(text) ? text : `${text.replace(" ", "T")}Z`);

/** The same as it is written here. @param {string} text */
export function moment(text) {
  const time = timeOf(text);
  return Number.isNaN(time.getTime()) ? text : new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeStyle: "short" }).format(time);
}

/** A day. @param {string} text YYYY-MM-DD */
export function day(text) {
  const time = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(time.getTime()) ? text : new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeZone: "UTC" }).format(time);
}
