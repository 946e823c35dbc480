// The history in sentences, by person and by words, with undo.

import { button, element } from "../map/elements.js";
import { Facilitating } from "./facilitating.js";
import { labelled, moment, t, wordFor } from "./texts.js";

/** @typedef {{id: number, time: string, username: string | null, operation: string, diagram: number, subject: string | null, before: string | null, after: string | null, can_be_undone: boolean}} Entry */

/** Entries that are read at once. */
const ENTRIES = 30;
/** Milliseconds after a change until the list is read again: others may follow. */
const PAUSE = 1000;

export class HistoryPanel extends Facilitating {
  /** @param {import("./project.js").Project} project @param {(text: string) => void} said */
  constructor(project, said) {
    super(project, said);
    this.count = ENTRIES;
    /** @type {Entry[]} */
    this.entries = [];
    this.person = element("select", { ariaLabel: t("byWhom") });
    this.words = element("input", { type: "search", ariaLabel: t("findInHistory"), placeholder: t("findInHistory") });
    this.list = element("ol", { className: "history" });
    this.more = button(t("earlier"), () => {
      this.count += ENTRIES;
      void this.show();
    });
    this.element = element("section", {}, element("h2", {}, t("whoDidWhat")), element("div", { className: "buttons" }, this.person, this.words), this.list, this.more);
    this.person.addEventListener("change", () => void this.show());
    this.words.addEventListener("input", () => this.showFound());
    for (const name of ["diagrams", "designs", "activities"]) project.addEventListener(name, () => this.soon());
    this.timer = 0;
    this.isShown = false;
  }

  soon() {
    clearTimeout(this.timer);
    if (this.isShown) this.timer = setTimeout(() => void this.show(), PAUSE);
  }

  async show() {
    this.isShown = true;
    const query = new URLSearchParams({ page_size: String(this.count), ...(this.person.value ? { user: this.person.value } : {}) });
    await this.try(this.project.service.get(`${this.project.path}history/?${query}`).then((entries) => {
      this.entries = entries;
      this.more.hidden = entries.length < this.count;
      this.showPeople();
      this.showFound();
    }));
  }

  /** Offers everybody who is in the project or in the entries. */
  showPeople() {
    const known = this.project.teams.flatMap(({ members }) => members).concat(this.entries.flatMap(({ username }) => username ?? []), this.person.value || []);
    const names = [...new Set(known)].sort();
    const { value } = this.person;
    this.person.replaceChildren(element("option", { value: "" }, t("anyAuthor")), ...names.map((name) => element("option", { value: name }, name)));
    this.person.value = value;
  }

  showFound() {
    const wanted = this.words.value.trim().toLowerCase();
    const told = this.entries.map((entry) => ({ entry, text: this.sentence(entry) }));
    this.list.replaceChildren(...told.filter(({ text }) => text.toLowerCase().includes(wanted)).map(({ entry, text }) => element("li", {},
      element("span", {}, text, element("span", { className: "quiet" }, ` ${this.changeOf(entry)} ${moment(entry.time)}`)),
      entry.can_be_undone ? button(t("undo"), () => void this.try(this.send("POST", `history/${entry.id}/undo/`, {}), () => void this.show()), { ariaLabel: labelled(t("undo"), this.subjectOf(entry)) }) : null)));
  }

  /** An entry as a sentence where its operation has one, otherwise the person and what was done. @param {Entry} entry */
  sentence(entry) {
    const { diagram, operation, username } = entry;
    const title = this.subjectOf(entry);
    const system = this.project.systems.find(({ id }) => id === this.project.diagrams.get(diagram)?.sysid)?.name ?? "";
    const name = /** @type {import("./texts.js").TextName} */ (`said_${operation}`);
    const hasSentence = title && (system || !operation.match(/^add_(project|policy)$/)) && t(name) !== name;
    return t(hasSentence ? name : "said", { name: username ?? "", did: wordFor("did", operation), title: title || entry.after || "", system }).trim();
  }

  /** The changed diagram's title, or the thing as the service names it. @param {Entry} entry */
  subjectOf({ diagram, subject, after, before, operation }) {
    if (operation.endsWith("_design")) return after || before || "";
    return this.project.diagrams.get(diagram)?.title || (diagram && (after || before)) || subject || "";
  }

  /** The values before and after, where both are known and may be shown. @param {Entry} entry */
  changeOf({ operation, before, after }) {
    const isHidden = this.project.votesHidden && operation === "set_vote";
    return before && after && !isHidden ? `${before} ${t("becomes")} ${after}` : "";
  }
}
