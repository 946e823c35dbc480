// A card to print. The command line fills the same template, with the same texts.

import { qrDrawing } from "../room/qr.js";

/** @typedef {{name: string, link: string, token: string, code?: string, ends: string}} Card */
/** @typedef {{project: string, teams: {title: string, color?: string | null, members: string[]}[], home: URL, hasKey: boolean, wifi: string, forPrograms: boolean}} Evening */
/** @typedef {{texts: Record<string, string>, card: string, team: string}} Parts */

/** Reads the template, and its texts in a language. @param {string} language @returns {Promise<Parts>} */
export async function partsIn(language) {
  const read = async (/** @type {string} */ path) => (await fetch(new URL(path, import.meta.url))).text();
  const [card, team, english, own] = await Promise.all(["card.html", "team.html", "texts/en.json", `texts/${language}.json`].map(read));
  return { card, team, texts: { ...JSON.parse(english), ...JSON.parse(own) } };
}

/** @param {Card} card @param {Evening} evening @param {Parts} parts */
export function cardOf({ name, link, token, code, ends }, evening, parts) {
  const { texts } = parts;
  const text = (/** @type {string} */ key, /** @type {string} */ value) => texts[key].replace("{}", () => value);
  const teams = evening.teams.filter(({ members }) => members.includes(name));
  /** @type {Record<string, string | undefined>} */
  const values = {
    link: text("link", escaped(name)),
    qr: qrDrawing(link, "").outerHTML,
    name: escaped(name),
    teams: teams.map(({ title, color }) => filled(parts.team, { team: text("team", escaped(title)), color: color ? escaped(color) : undefined })).join("") || undefined,
    project: escaped(evening.project),
    wifi: evening.wifi ? text("wifi", bold(evening.wifi)) : undefined,
    address: text("address", bold(typedAddress(evening.home))),
    code: code && text("code", bold(code)),
    join: texts.join, choose: texts.choose, draw: texts.draw,
    secret: text("secret", `${ends.slice(0, 16).replace("T", " ")} UTC`),
    ...(evening.hasKey ? { warning: [text("warning", bold(evening.home.host)), texts.chrome, texts.safari, texts.firefox].join(" ") } : {}),
    ...(evening.forPrograms ? {
      api: text("api", program(new URL("api/v1/", evening.home).href)), token: text("token", program(token)),
      python: text("python", program(`pygeodesign login${evening.home.protocol === "http:" ? " --allow-http" : ""}`)),
    } : {}),
  };
  return document.createRange().createContextualFragment(filled(parts.card, values));
}

/** Fills a template, which has at most one `{name}` on a line. A line whose value is missing is left out. @param {string} template @param {Record<string, string | undefined>} values */
function filled(template, values) {
  const line = (/** @type {string} */ line) => {
    const [, before, name, after] = /^(.*?)\{(.*?)\}(.*)$/.exec(line) ?? [];
    if (name === undefined) return [line];
    return values[name] === undefined ? [] : [before + values[name] + after];
  };
  return template.split("\n").flatMap(line).join("\n");
}

/** @param {string} text */
const escaped = (text) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** @param {string} text */
const bold = (text) => `<b dir="auto">${escaped(text)}</b>`;

/** @param {string} text */
const program = (text) => `<code dir="ltr">${escaped(text)}</code>`;

/** The address to type: browsers add a scheme, and a service redirects plain http to https. @param {URL} home */
const typedAddress = (home) => home.href.replace(/^https?:\/\/|\/$/g, "");
