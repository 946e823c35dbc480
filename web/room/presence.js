// Who is here: initials in the team's colour, and everyone's name in a list that opens.

import { element, swatch } from "../map/elements.js";
import { narrow } from "./panel.js";
import { listed, t } from "./texts.js";

/** @import { Present, Project } from "./project.js" */

/** Number of members whose initials are shown, and on a phone. */
const MOST = 8, MOST_ON_PHONE = 2;
const NO_TEAM = "#5f676e";

export class PresenceRow {
  /** @param {Project} project */
  constructor(project) {
    this.project = project;
    this.summary = element("summary");
    this.list = element("ul");
    this.element = element("details", { className: "presence" }, this.summary, this.list);
    for (const name of ["presence", "designs"]) project.addEventListener(name, () => this.show());
    narrow.addEventListener("change", () => this.show());
    this.show();
  }

  show() {
    const { here } = this.project;
    const most = narrow.matches ? MOST_ON_PHONE : MOST;
    this.element.hidden = !here.length;
    this.summary.ariaLabel = this.summary.title = t("whoIsHere", { names: listed(here.map(({ username }) => username)) });
    this.summary.replaceChildren(...here.slice(0, most).map((one) => this.badge(one)),
      here.length > most ? element("span", { className: "more", ariaHidden: "true" }, `+${here.length - most}`) : "");
    this.list.replaceChildren(...here.map((one) => element("li", {}, swatch(colorOf(this.project, one)), one.username, " ",
      element("span", { className: "quiet" }, listed(teamsOf(this.project, one).map(({ title }) => title))))));
  }

  /** @param {Present} one */
  badge(one) {
    const badge = element("span", { className: "badge", ariaHidden: "true" }, initialsOf(one.username));
    badge.style.setProperty("--team", colorOf(this.project, one));
    return badge;
  }
}

/** @param {Project} project @param {Present} one */
const teamsOf = (project, { cteams }) => project.teams.filter(({ id }) => cteams.includes(id));

/** The colour of a member's first team that has one. @param {Project} project @param {Present} [one] nobody who is known to be here */
export const colorOf = (project, one) => (one ? teamsOf(project, one) : []).find(({ color }) => color)?.color ?? NO_TEAM;

/** The first letters of a name's first two parts, or its first two letters: "AS" of `ana.sousa`, "BE" of `ben`. @param {string} name */
export function initialsOf(name) {
  const [first = "", second] = name.split(/[\s._-]+/).filter(Boolean).map((part) => [...part]);
  return (second ? [first[0], second[0]] : [...first].slice(0, 2)).join("").toLocaleUpperCase();
}
