// Cards to print, one for each member: name, project, and the code that opens the room.

import { button, element } from "../map/elements.js";
import { iconButton } from "../map/icons.js";
import { qrCode } from "./qr.js";
import { currentLanguage, direction, inLanguage, listed, moment, t } from "./texts.js";

/** @import { Project } from "./project.js" */

/** @typedef {{name: string, link: string, ends: string}} Card */

/** Shows cards in the project's language over the page, ready to be printed. @param {Project} project @param {Card[]} cards @param {string[]} problems */
export async function showCards(project, cards, problems) {
  const sheet = await inLanguage(project.language, () => sheetOf(project, cards));
  const dialog = element("dialog", { className: "full cards", "aria-labelledby": "cards-title" });
  dialog.addEventListener("close", () => dialog.remove());
  dialog.append(
    element("header", { className: "bar" }, element("h1", { id: "cards-title" }, t("cards")), button(t("print"), () => print(), { className: "main" }),
      iconButton("X", t("close"), () => dialog.close())),
    element("p", { className: "unprinted" }, t("cardsNote")),
    ...problems.map((problem) => element("p", { className: "trouble unprinted" }, problem)),
    sheet);
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {Project} project @param {Card[]} cards */
const sheetOf = (project, cards) => element("div", { className: "sheet", lang: currentLanguage(), dir: direction() }, ...cards.map(({ name, link, ends }) => {
  const teams = listed(project.teams.filter(({ members }) => members.includes(name)).map(({ title }) => title));
  return element("section", { className: "member" }, qrCode(link, t("linkFor", { name }), 4),
    element("div", {}, element("h2", {}, name), element("p", {}, project.title), teams ? element("p", {}, teams) : null,
      element("p", {}, t("scanMe")), element("p", { className: "quiet" }, t("validUntil", { time: moment(ends) }))));
}));
