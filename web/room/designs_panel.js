// Designs: saving your choice, changing a design into the next one, and the choices of a team's members.

import { button, element, swatch } from "../map/elements.js";
import { ask } from "./ask.js";
import { commentsTitle, threadsAbout } from "./comments.js";
import { reasonOf } from "./reasons.js";
import { reviewMark } from "./reviews.js";
import { randomId } from "./session.js";
import { labelled, listed, moment, number, t } from "./texts.js";
import { openTimeline } from "./timeline.js";
import { openVoteRound } from "./vote_round.js";

/** @import { Project, Design, Team } from "./project.js" */

export class DesignsPanel {
  /** @param {Project} project @param {{failed: (text: string) => void, compare: (a: Design, b: Design) => void, sideBySide: () => void, talk: (design: Design) => void}} actions */
  constructor(project, actions) {
    this.project = project;
    this.actions = actions;
    this.element = element("div", { className: "page designs" });
    /** @type {Set<number>} teams whose choices are shown */
    this.opened = new Set();
    /** @type {Map<Design, HTMLButtonElement>} the buttons that open comments */
    this.talk = new Map();
    for (const name of ["designs", "reread"]) project.addEventListener(name, () => this.show());
    project.addEventListener("comments", () => this.showTalk());
    project.addEventListener("selection", () => {
      this.key = randomId();
      this.showCount();
    });
    /** Key by which the service recognises a design that is sent again. */
    this.key = randomId();
    this.show();
  }

  show() {
    const { project } = this;
    const parts = [];
    this.talk.clear();
    if (project.isMember && project.ownTeams().length) parts.push(this.saving());
    parts.push(this.looking());
    if (project.designs.length > 1) parts.push(this.comparing());
    for (const team of project.teams) parts.push(this.ofTeam(team));
    if (!project.teams.length) parts.push(element("p", { className: "quiet" }, t("noTeams")));
    this.element.replaceChildren(...parts);
    this.showCount();
    this.showTalk();
  }

  saving() {
    const { project } = this;
    const teams = project.ownTeams();
    const team = element("select", { ariaLabel: t("team") }, ...teams.map(({ id, title }) => element("option", { value: String(id) }, title)));
    const own = teams.find(({ members }) => members.includes(project.me));
    if (own) team.value = String(own.id);
    const title = element("input", { type: "text", required: true, maxLength: 200, ariaLabel: t("titleOfDesign"), placeholder: t("titleOfDesign") });
    this.count = element("p", { className: "quiet", role: "status" });
    // The same design sent twice, by a second click or because no answer came, is saved once.
    this.key = randomId();
    const form = element("form", { className: "saving" }, element("h2", {}, t("saveChoice")), this.count,
      element("div", { className: "buttons" }, title, team, element("button", { type: "submit", className: "main" }, t("save"))));
    form.addEventListener("input", () => (this.key = randomId()));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!project.selection.size) {
        this.actions.failed(t("nothingChosen"));
        return;
      }
      project.saveDesign(Number(team.value), title.value.trim(), [...project.selection], this.key)
        .then(({ title: name }) => this.actions.failed(t("saved", { name })))
        .catch((error) => this.actions.failed(reasonOf(error)));
    });
    return form;
  }

  showCount() {
    if (this.count) this.count.textContent = t("chosen", { count: this.project.selection.size });
  }

  showTalk() {
    for (const [design, made] of this.talk) {
      const about = { design: design.id };
      const title = [commentsTitle(this.project, about), reviewMark(this.project, threadsAbout(this.project, about))].filter(Boolean).join(" · ");
      made.textContent = title;
      made.ariaLabel = `${title}: ${design.title}`;
    }
  }

  /** The buttons that open views over the page. */
  looking() {
    const { project } = this;
    return element("div", { className: "buttons" },
      project.latestDesigns().length > 1 && button(t("sideBySide"), () => this.actions.sideBySide()),
      project.isMember && button(t("voteRound"), () => openVoteRound(project).catch((error) => this.actions.failed(reasonOf(error)))),
      project.isMember && button(t("timelineOfChoice"), () => openTimeline(project, t("mySelectionOnly"), [...project.selection], this.actions.failed)));
  }

  comparing() {
    const { designs } = this.project;
    const [a, b] = [0, 1].map((place) => {
      const made = element("select", { ariaLabel: t(place ? "otherDesign" : "oneDesign") }, ...designs.map((design, number) =>
        element("option", { value: String(number) }, labelled(design.team, design.title))));
      // The latest ones of two teams, if there are two.
      const latest = this.project.latestDesigns();
      made.value = String(designs.indexOf(latest[place] ?? designs[place]));
      return made;
    });
    return element("section", {}, element("h2", {}, t("compareDesigns")), element("div", { className: "buttons" }, a, b,
      button(t("compare"), () => this.actions.compare(designs[Number(a.value)], designs[Number(b.value)]))));
  }

  /** @param {Team} team */
  ofTeam(team) {
    const { project } = this;
    const rows = project.designs.filter(({ teamid }) => teamid === team.id).reverse().map((design) => element("li", {},
      element("b", {}, design.title || t("untitled")), " ", element("span", { className: "quiet" }, moment(design.created)),
      element("div", { className: "buttons" },
        button(t("show"), () => project.setAbout({ kind: "design", design }).catch((error) => this.actions.failed(reasonOf(error))),
          { ariaLabel: t("showDesign", { title: design.title }) }),
        button(t("timeline"), () => void this.timelineOf(design), { ariaLabel: t("timelineOfDesign", { title: design.title }) }),
        this.talkOf(design),
        project.isMember && button(t("takeAsChoice"), () => void this.take(design), { ariaLabel: t("takeDesign", { title: design.title }) }))));
    const choices = element("details", { open: this.opened.has(team.id) }, element("summary", {}, t("choicesOf", { team: team.title })));
    const list = element("div", { role: "status" });
    choices.append(list);
    choices.addEventListener("toggle", () => {
      if (choices.open) {
        this.opened.add(team.id);
        void this.showChoices(team, list);
      } else this.opened.delete(team.id);
    });
    if (choices.open) void this.showChoices(team, list);
    return element("section", { className: "team" }, element("h2", {}, team.title || t("team")),
      element("p", { className: "quiet" }, listed(team.members)), element("ul", {}, ...rows), team.members.length ? choices : null);
  }

  /** @param {Design} design */
  talkOf(design) {
    const made = button("", () => this.actions.talk(design));
    this.talk.set(design, made);
    return made;
  }

  /** @param {Design} design */
  async timelineOf(design) {
    try {
      openTimeline(this.project, labelled(design.team, design.title), await this.project.diagramsOf(design), this.actions.failed);
    } catch (error) {
      this.actions.failed(reasonOf(error));
    }
  }

  /** @param {Design} design */
  async take(design) {
    const { project } = this;
    try {
      const ids = await project.diagramsOf(design);
      const lost = [...project.selection].filter((id) => !ids.includes(id)).length;
      if (lost && !(await ask(t("takeSure", { count: lost }), t("takeAsChoice")))) return;
      await project.chooseAll(ids);
    } catch (error) {
      this.actions.failed(reasonOf(error));
    }
  }

  /** The choices of a team's members, the most wanted first. @param {Team} team @param {HTMLElement} holder */
  async showChoices({ members }, holder) {
    const { project } = this;
    /** @type {Map<number, string[]>} */
    const names = new Map();
    try {
      const lists = await Promise.all(members.map((name) => project.selectionOf(name)));
      lists.forEach((ids, place) => ids.forEach((id) => names.set(id, [...(names.get(id) || []), members[place]])));
    } catch (error) {
      holder.textContent = reasonOf(error);
      return;
    }
    const rows = [...names].sort(([, a], [, b]) => b.length - a.length).map(([id, who]) => {
      const diagram = project.diagrams.get(id);
      const color = project.systems.find((system) => system.id === diagram?.sysid)?.color || "#777777";
      return element("tr", {}, element("th", { scope: "row", className: "text" }, swatch(color), diagram?.title || String(id)),
        element("td", {}, `${number(who.length)}/${number(members.length)}`), element("td", { className: "text" }, listed(who)));
    });
    holder.replaceChildren(rows.length
      ? element("table", {}, element("thead", {}, element("tr", {}, element("th", { scope: "col", className: "text" }, t("diagram")),
        element("th", { scope: "col" }, t("howMany")), element("th", { scope: "col", className: "text" }, t("who")))), element("tbody", {}, ...rows))
      : element("p", { className: "quiet" }, t("nothingChosen")));
  }
}
