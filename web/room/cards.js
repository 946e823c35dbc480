// Cards to print, one for each member, over the page.

import { cardOf, partsIn } from "../cards/card.js";
import { button, element } from "../map/elements.js";
import { openFull } from "./full_dialog.js";
import { isOutOfReach } from "./session.js";
import { currentLanguage, direction, inLanguage, t } from "./texts.js";

/** @import { Card } from "../cards/card.js" */
/** @import { Project } from "./project.js" */

/** A notice that others cannot reach the room's address; empty if they can. @param {URL} home */
export const noticeOf = (home) => (isOutOfReach(home.hostname) ? t("cardsOutOfReach", { address: home.host, options: "--host 0.0.0.0 --tls-self-signed" }) : "");

/**
 * Shows cards in the project's language, ready to be printed.
 * @param {Project} project @param {{home: URL, hasKey: boolean}} place @param {Card[]} cards @param {string[]} problems
 */
export async function showCards(project, place, cards, problems) {
  const [lang, dir] = await inLanguage(project.language, () => [currentLanguage(), direction()]);
  const parts = await partsIn(lang);
  const sheet = element("div", { className: "passes", lang, dir });
  const wifi = element("input", { type: "text", maxLength: 100 });
  const programs = element("input", { type: "checkbox" });
  const fill = () => {
    const evening = { project: project.title, teams: project.teams, ...place, wifi: wifi.value.trim(), forPrograms: programs.checked };
    sheet.replaceChildren(...cards.map((card) => cardOf(card, evening, parts)));
  };
  fill();
  for (const field of [wifi, programs]) field.addEventListener("input", fill);
  openFull("cards", t("cards"), [
    element("link", { rel: "stylesheet", href: new URL("../cards/cards.css", import.meta.url).href }),
    ...[noticeOf(place.home), ...problems].filter(Boolean).map((problem) => element("p", { className: "trouble unprinted", role: "alert" }, problem)),
    element("div", { className: "buttons unprinted" }, element("label", {}, t("wifiName"), wifi), element("label", {}, programs, t("linesForPrograms")),
      button(t("print"), () => print(), { className: "main" })),
    element("p", { className: "unprinted" }, t("cardsNote")),
    sheet,
  ]);
}
