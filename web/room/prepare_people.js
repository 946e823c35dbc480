// Members and teams: from a table that is pasted, and team by team.

import { button, element } from "../map/elements.js";
import { Facilitating } from "./facilitating.js";
import { t } from "./texts.js";

/** @typedef {{username: string, team?: string, administrator?: boolean}} Person */

/** Words in a column that say yes, and names of columns, in the languages of the room. */
const YES = /^(yes|y|true|x|1|ja|sí|si|sì|oui|sim|نعم)$/i;
const HEADS = /^(name|names|username|user|member|nome|nombre|nom|mitglied|الاسم)$/i;

/**
 * The people of a pasted table: a line each with a name, and optionally a team and whether the person administers the project. Cells stand
 * between tabs, semicolons or commas; a first line with names of columns is left out.
 * @param {string} text @returns {Person[]}
 */
export function peopleOf(text) {
  const lines = text.split(/\r?\n/).filter((line) => line.trim());
  const between = ["\t", ";", ","].find((mark) => lines[0]?.includes(mark)) ?? ",";
  const rows = lines.map((line) => line.split(between).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1")));
  return rows.filter(([name], place) => name && !(place === 0 && HEADS.test(name)))
    .map(([username, team, administrator]) => ({ username, ...(team ? { team } : {}), ...(YES.test(administrator ?? "") ? { administrator: true } : {}) }));
}

export class PreparePeople extends Facilitating {
  /** @param {import("./project.js").Project} project @param {(text: string) => void} said */
  constructor(project, said) {
    super(project, said);
    this.table = element("textarea", { rows: 4, ariaLabel: t("pasteTable"), placeholder: t("tableExample") });
    this.found = element("p", { className: "quiet", role: "status" });
    this.table.addEventListener("input", () => this.showFound());
    this.teams = element("div");
    this.element = element("section", {}, element("h2", {}, t("membersAndTeams")), element("p", { className: "quiet" }, t("tableNote")), this.table, this.found,
      element("div", { className: "buttons" }, button(t("addPeople"), () => void this.add())), this.teams);
  }

  showFound() {
    const people = peopleOf(this.table.value);
    const teams = new Set(people.flatMap(({ team }) => team ?? []));
    this.found.textContent = people.length ? `${t("members", { count: people.length })} · ${t("countOfTeams", { count: teams.size })}` : "";
  }

  async add() {
    const members = peopleOf(this.table.value);
    if (!members.length) {
      this.said(t("noTable"));
      return;
    }
    await this.try(this.send("POST", "members/", { members }).then(async ({ body }) => {
      this.table.value = "";
      this.showFound();
      await this.project.readDesigns();
      this.show();
      this.said(t("peopleAdded", { count: body.added.length }));
    }));
  }

  show() {
    const { project } = this;
    const title = element("input", { type: "text", maxLength: 100, ariaLabel: t("newTeam"), placeholder: t("newTeam") });
    const rows = project.teams.map((team) => {
      const members = element("input", { type: "text", defaultValue: team.members.join(", "), ariaLabel: t("membersOf", { team: team.title }) });
      this.savedAsTyped(members, async (value) => {
        await this.send("PATCH", `cteams/${team.id}/`, { members: value.split(/[,،]/).map((name) => name.trim()).filter(Boolean) });
        await project.readDesigns();
      }, t("saved", { name: team.title }));
      return element("li", {}, element("label", { className: "field" }, element("span", {}, team.title), members));
    });
    const addTeam = () => {
      const name = title.value.trim();
      if (name) void this.try(this.send("POST", "cteams/", { title: name, members: [] }).then(() => project.readDesigns()).then(() => this.show()), t("saved", { name }));
    };
    this.teams.replaceChildren(element("ul", {}, ...rows), element("div", { className: "buttons" }, title, button(t("addTeam"), addTeam)));
  }
}
