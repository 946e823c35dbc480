// Members, walk-ins and guests: a menu for each member, cards to print, the door, links to read.

import { button, element } from "../map/elements.js";
import { icon, iconButton } from "../map/icons.js";
import { ask } from "./ask.js";
import { noticeOf, showCards } from "./cards.js";
import { Facilitating } from "./facilitating.js";
import { qrCode } from "./qr.js";
import { reasonOf } from "./reasons.js";
import { labelled, listed, moment, t } from "./texts.js";

/** @import { Project } from "./project.js" */
/** @import { Keeper } from "./session.js" */

const HOUR = 3_600_000;

/** Key under which the code for walk-ins is stored, which the service sends only once. @param {Project} project */
export const codeName = (project) => `code:${project.id}`;

export class PeoplePanel extends Facilitating {
  /** @param {Project} project @param {{home: URL, key?: string, keeper: Keeper, said: (text: string) => void}} settings */
  constructor(project, { home, key, keeper, said }) {
    super(project, said);
    this.home = home;
    this.key = key ? `:${key}` : "";
    this.keeper = keeper;
    this.find = element("input", { type: "search", ariaLabel: t("findMember"), placeholder: t("findMember") });
    this.find.addEventListener("input", () => this.showFound());
    this.people = element("section");
    this.element = element("div", {}, this.people, this.guests());
    // A name that was removed goes once the diagrams are read again.
    for (const name of ["diagrams", "reread"]) project.addEventListener(name, () => {
      if (this.element.isConnected && this.list?.querySelector("[data-former]")) this.again();
    });
  }

  async show() {
    const { project } = this;
    await this.try(Promise.all([project.service.get(`${project.path}members/`), project.service.get(`${project.path}walk_ins/`)]).then(([{ members }, walkIns]) => {
      const names = members.map((/** @type {any} */ { username }) => username);
      this.list = element("ul", { className: "people" }, ...names.map((/** @type {string} */ name) => this.member(name)), ...this.former(names));
      this.people.replaceChildren(element("h2", {}, t("people")), ...this.door(walkIns), element("ul", {}, ...walkIns.waiting.map((/** @type {any} */ one) => this.waiting(one))),
        this.adding(), element("div", { className: "buttons" }, this.find, element("span", { className: "quiet" }, t("members", { count: names.length })),
          button(t("cardsForAll"), () => void this.makeCards(names.filter((/** @type {string} */ name) => name !== project.me)))), this.list);
      this.showFound();
    }));
  }

  showFound() {
    const wanted = this.find.value.trim().toLowerCase();
    for (const row of /** @type {HTMLElement[]} */ ([...(this.list?.children ?? [])])) row.hidden = !row.innerText.toLowerCase().includes(wanted);
  }

  again = () => void this.show();

  /** A member with the teams, and a menu. @param {string} name */
  member(name) {
    const path = `members/${encodeURIComponent(name)}/`;
    const teams = this.project.teams.filter((team) => team.members.includes(name)).map(({ title }) => title);
    const sure = async (/** @type {string} */ text, /** @type {string} */ action, /** @type {string} */ at) => {
      if (await ask(text, action)) await this.try(this.send("DELETE", path + at), this.again);
    };
    return element("li", {}, element("b", {}, name), element("span", { className: "quiet" }, listed(teams)), menu(name, [
      button(t("newLink"), () => void this.try(this.newLink(name))),
      button(t("withdrawCard"), () => void sure(t("withdrawCardSure", { name }), t("withdrawCard"), "tokens/")),
      button(t("removeMember"), () => void sure(t("removeSure", { name }), t("removeMember"), "")),
      button(t("removeName"), () => void sure(t("removeNameSure", { name }), t("removeName"), "name/")),
    ]));
  }

  /** Authors who are members no more, and may want to be forgotten. @param {string[]} names of the members */
  former(names) {
    const authors = [...this.project.diagrams.values()].map(({ author }) => author);
    const gone = [...new Set(authors)].filter((author) => author && !names.includes(author) && !/^former member \d+$/.test(author)).sort();
    return gone.map((name) => element("li", { "data-former": "" }, element("b", {}, name), element("span", { className: "quiet" }, t("isNoMember")), menu(name, [
      button(t("removeName"), async () => {
        if (await ask(t("removeNameSure", { name }), t("removeName"))) await this.try(this.send("DELETE", `members/${encodeURIComponent(name)}/name/`), this.again);
      }),
    ])));
  }

  /** @param {{username: string}} one who waits */
  waiting({ username }) {
    const path = `walk_ins/${encodeURIComponent(username)}/`;
    return element("li", {}, element("b", {}, username), " ", t("waits"), element("div", { className: "buttons" },
      button(t("admit"), () => void this.try(this.send("POST", path, {}), this.again), { ariaLabel: labelled(t("admit"), username) }),
      button(t("refuse"), () => void this.try(this.send("DELETE", path), this.again), { ariaLabel: labelled(t("refuse"), username) })));
  }

  /** The door for walk-ins. @param {any} walkIns */
  door({ open, closes_at, by_hand }) {
    if (open) {
      const close = () => void this.try(this.send("DELETE", "walk_ins/"), () => {
        this.keeper.drop(codeName(this.project));
        this.again();
      });
      return [element("p", {}, t("doorOpen", { time: moment(closes_at) })), element("div", { className: "buttons" }, button(t("closeDoor"), close))];
    }
    const byHand = element("input", { type: "checkbox", checked: by_hand });
    const openDoor = async () => {
      const { body } = await this.send("PUT", "walk_ins/", { closes_at: await this.project.timeIn(2 * HOUR), by_hand: byHand.checked });
      // The wall shows it.
      this.keeper.keep(codeName(this.project), body.code);
      this.tell(t("codeIs", { code: body.code }), `${this.home.href}join/#${body.code}`);
    };
    return [element("div", { className: "buttons" }, element("label", {}, byHand, t("byHand")), button(t("openDoor"), () => void this.try(openDoor(), this.again)))];
  }

  /** A field for a new member. */
  adding() {
    const name = element("input", { type: "text", maxLength: 150, ariaLabel: t("newMember"), placeholder: t("newMember") });
    const add = async () => {
      const username = name.value.trim();
      if (!username) return;
      await this.send("POST", "members/", { members: [{ username }] });
      await this.newLink(username);
    };
    return element("div", { className: "buttons" }, name, button(t("addMember"), () => void this.try(add(), this.again)));
  }

  /** Makes a link for a member, and shows it. @param {string} name */
  async newLink(name) {
    const { body } = await this.send("POST", `members/${encodeURIComponent(name)}/tokens/`, {});
    this.tell(t("linkFor", { name }), this.linkOf(name, body.token));
  }

  /** @param {string} name @param {string} token */
  linkOf(name, token) {
    return `${this.home.href}join/#${encodeURIComponent(name)}:${token}${this.key}`;
  }

  /** Makes a new card for each member, which replaces earlier ones. Your own would end this page. @param {string[]} names */
  async makeCards(names) {
    const sure = [t("cardsSure", { count: names.length }), noticeOf(this.home)].filter(Boolean).join(" ");
    if (!await ask(sure, t("cardsForAll"))) return;
    /** @type {import("../cards/card.js").Card[]} */
    const cards = [];
    const problems = [];
    for (const name of names) {
      try {
        const { body } = await this.send("POST", `members/${encodeURIComponent(name)}/tokens/`, {});
        cards.push({ name, link: this.linkOf(name, body.token), token: body.token, code: body.code, ends: body.expires_at });
      } catch (error) {
        problems.push(labelled(name, reasonOf(error)));
      }
    }
    await showCards(this.project, { home: this.home, hasKey: this.key !== "" }, cards, problems);
  }

  guests() {
    const title = element("input", { type: "text", maxLength: 100, ariaLabel: t("whoReads"), placeholder: t("whoReads") });
    const make = async () => {
      const expires_at = await this.project.timeIn(30 * 24 * HOUR);
      const { body } = await this.send("POST", "links/", { title: title.value.trim() || t("guest"), expires_at, names: false });
      this.tell(t("linkFor", { name: body.title }), `${this.home.href}${body.path.replace(/^\/(w\/[^/]+\/)?/, "")}${this.key}`);
    };
    return element("section", {}, element("h2", {}, t("guests")), element("div", { className: "buttons" }, title, button(t("linkForGuests"), () => void this.try(make()))),
      element("p", { className: "quiet" }, t("guestsNote")));
  }

  /** Shows a link, which the service sends only once, with a code to scan if there is one. @param {string} name @param {string} text */
  tell(name, text) {
    const dialog = element("dialog", { className: "card", "aria-labelledby": "told-title" });
    dialog.addEventListener("close", () => dialog.remove());
    const code = element("code", {}, text);
    dialog.append(iconButton("X", t("close"), () => dialog.close(), { className: "close" }), element("h2", { id: "told-title" }, name),
      element("p", {}, t("toldOnce")), qrCode(text, name), code);
    document.body.append(dialog);
    dialog.showModal();
    getSelection()?.selectAllChildren(code);
  }
}

/** A menu of one person, closed until it is opened. @param {string} name @param {HTMLElement[]} buttons */
function menu(name, buttons) {
  return element("details", { className: "menu" }, element("summary", { ariaLabel: t("menuOf", { name }), title: t("menuOf", { name }) }, icon("Ellipsis")),
    element("div", { className: "buttons" }, ...buttons));
}
