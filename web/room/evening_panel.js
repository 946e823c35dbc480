// Running the evening, for administrators: open activities, members, history, and files to take home.

import { button, element } from "../map/elements.js";
import { iconButton } from "../map/icons.js";
import { showCards } from "./cards.js";
import { PreparePanel } from "./prepare_panel.js";
import { Processes } from "./processes.js";
import { qrCode } from "./qr.js";
import { reasonOf } from "./reasons.js";
import { Rehearsal } from "./rehearsal.js";
import { OPERATOR, TakeHome } from "./take_home.js";
import { labelled, listed, moment, t, wordFor } from "./texts.js";

/** @import { Project } from "./project.js" */
/** @import { Keeper } from "./session.js" */

const ENTRIES = 30;

/** Key under which the code for walk-ins is stored, which the service sends only once. @param {Project} project */
export const codeName = (project) => `code:${project.id}`;

export class EveningPanel {
  /** @param {Project} project @param {{home: URL, key?: string, keeper: Keeper, failed: (text: string) => void}} settings */
  constructor(project, { home, key, keeper, failed }) {
    this.project = project;
    this.home = home;
    this.key = key ? `:${key}` : "";
    this.failed = failed;
    this.keeper = keeper;
    this.activities = element("section");
    this.people = element("section");
    this.guests = element("section");
    this.history = element("section");
    const processes = new Processes(project.service, project.id);
    this.takeHome = new TakeHome(project, processes, failed);
    this.element = element("div", { className: "page evening" }, this.activities, this.people, this.guests, this.history, this.takeHome.element,
      new Rehearsal(project, keeper, failed).element, new PreparePanel(project, processes, failed).element);
    this.isShown = false;
    project.addEventListener("activities", () => this.showActivities());
    for (const name of ["diagrams", "designs"]) project.addEventListener(name, () => this.historySoon());
    this.timer = 0;
    this.showActivities();
  }

  /** Reads the panel's own data; called when it is opened. */
  show() {
    this.isShown = true;
    void this.showPeople();
    void this.showHistory();
    this.showGuests();
    void this.takeHome.show();
  }

  /** Shows an error at the top of the page. @param {Promise<any>} doing @param {() => void} [then] */
  async try(doing, then) {
    try {
      await doing;
      then?.();
    } catch (error) {
      this.failed(reasonOf(error));
    }
  }

  /** @param {string} method @param {string} path @param {any} [body] */
  send(method, path, body) {
    return this.project.service.send(method, this.project.path + path, body);
  }

  showActivities() {
    const message = element("input", { type: "text", maxLength: 200, ariaLabel: t("message"), placeholder: t("message") });
    const minutes = element("input", { type: "number", min: "1", max: "600", inputMode: "numeric", ariaLabel: t("minutes"), placeholder: t("minutes") });
    const rows = /** @type {const} */ (["drawing", "selecting", "designing"]).map((what) => {
      const { isOpen, message: said } = this.project.mayDo(what);
      const ends = this.project.activities[what]?.closes_at;
      const change = (/** @type {any} */ body) => void this.try(this.send("PATCH", "activities/", { [what]: body }).then(() => this.project.readActivities()));
      return element("li", {}, element("b", {}, t(what)), " ",
        element("span", { className: isOpen ? "quiet" : "trouble" }, isOpen ? (ends ? t("openUntil", { time: moment(ends) }) : t("isOpen")) : `${t("isClosed")} ${said}`),
        element("div", { className: "buttons" }, isOpen
          ? button(t("closeNow"), () => change({ open: false, message: message.value }), { ariaLabel: labelled(t("closeNow"), t(what)) })
          : button(t("openNow"), () => change({ open: true, closes_at: null, message: "" }), { ariaLabel: labelled(t("openNow"), t(what)) }),
        isOpen && button(t("closeIn"), () => {
          const wait = Number(minutes.value);
          if (wait > 0) void this.try(this.project.timeIn(wait * 60_000).then((closes_at) => change({ open: true, closes_at, message: message.value })));
          else this.failed(t("noMinutes"));
        }, { ariaLabel: labelled(t("closeIn"), t(what)) })));
    });
    this.activities.replaceChildren(element("h2", {}, t("whatIsOpen")), element("div", { className: "buttons" }, message, minutes), element("ul", {}, ...rows));
  }

  async showPeople() {
    const { project } = this;
    let members, walkIns;
    try {
      [{ members }, walkIns] = await Promise.all([project.service.get(`${project.path}members/`), project.service.get(`${project.path}walk_ins/`)]);
    } catch (error) {
      this.failed(reasonOf(error));
      return;
    }
    const again = () => void this.showPeople();
    const waiting = walkIns.waiting.map((/** @type {any} */ { username }) => element("li", {}, element("b", {}, username), " ", t("waits"), element("div", { className: "buttons" },
      button(t("admit"), () => void this.try(this.send("POST", `walk_ins/${encodeURIComponent(username)}/`, {}), again), { ariaLabel: labelled(t("admit"), username) }),
      button(t("refuse"), () => void this.try(this.send("DELETE", `walk_ins/${encodeURIComponent(username)}/`), again), { ariaLabel: labelled(t("refuse"), username) }))));
    const rows = members.map((/** @type {any} */ { username }) => element("li", {}, username, " ", element("span", { className: "quiet" },
      listed(project.teams.filter((team) => team.members.includes(username)).map(({ title }) => title))),
      element("div", { className: "buttons" },
        button(t("newLink"), () => void this.try(this.send("POST", `members/${encodeURIComponent(username)}/tokens/`, {}).then(({ body }) =>
          this.tell(t("linkFor", { name: username }), this.linkOf(username, body.token)))), { ariaLabel: labelled(t("newLink"), username) }),
        button(t("withdrawCard"), () => {
          if (confirm(t("withdrawCardSure", { name: username }))) void this.try(this.send("DELETE", `members/${encodeURIComponent(username)}/tokens/`), again);
        }, { ariaLabel: labelled(t("withdrawCard"), username) }),
        button(t("removeMember"), () => {
          if (confirm(t("removeSure", { name: username }))) void this.try(this.send("DELETE", `members/${encodeURIComponent(username)}/`), again);
        }, { ariaLabel: labelled(t("removeMember"), username) }), this.removeName(username, again))));
    // Former members may want to be forgotten, too.
    const names = new Set(members.map((/** @type {any} */ { username }) => username));
    const gone = [...new Set([...project.diagrams.values()].map(({ author }) => author))].filter((author) => author && !names.has(author) && !/^former member \d+$/.test(author)).sort();
    const left = gone.map((author) => element("li", {}, author, " ", element("span", { className: "quiet" }, t("isNoMember")), element("div", { className: "buttons" }, this.removeName(author, again))));
    const byHand = element("input", { type: "checkbox", checked: walkIns.by_hand });
    const door = walkIns.open
      ? [element("p", {}, t("doorOpen", { time: moment(walkIns.closes_at) })), button(t("closeDoor"), () => void this.try(this.send("DELETE", "walk_ins/"), () => {
        this.keeper.drop(codeName(project));
        again();
      }))]
      : [element("label", {}, byHand, t("byHand")), button(t("openDoor"), () => {
        void this.try(project.timeIn(2 * 3_600_000).then((closes_at) => this.send("PUT", "walk_ins/", { closes_at, by_hand: byHand.checked })).then(({ body }) => {
          // The wall shows it.
          this.keeper.keep(codeName(project), body.code);
          this.tell(t("codeIs", { code: body.code }), `${this.home.href}join/#${body.code}`);
        }), again);
      })];
    this.people.replaceChildren(element("h2", {}, t("people")), element("div", { className: "buttons" }, ...door),
      element("ul", {}, ...waiting), this.adding(again), element("details", {}, element("summary", {}, t("members", { count: members.length })),
        button(t("cardsForAll"), () => void this.makeCards(members.map((/** @type {any} */ { username }) => username).filter((/** @type {string} */ name) => name !== project.me))), element("ul", {}, ...rows, ...left)));
  }

  /** A field for a new member. Only the service's operator makes accounts; others admit walk-ins. @param {() => void} then */
  adding(then) {
    const name = element("input", { type: "text", maxLength: 150, ariaLabel: t("newMember"), placeholder: t("newMember") });
    const add = async () => {
      const username = name.value.trim();
      if (!username) return;
      if (this.project.me === OPERATOR) await this.project.service.send("POST", "users/", { username });
      await this.send("PUT", `members/${encodeURIComponent(username)}/`, { administrator: false });
      const { body } = await this.send("POST", `members/${encodeURIComponent(username)}/tokens/`, {});
      this.tell(t("linkFor", { name: username }), this.linkOf(username, body.token));
    };
    return element("div", { className: "buttons" }, name, button(t("addMember"), () => void this.try(add(), then)));
  }

  /** @param {string} username @param {() => void} then */
  removeName(username, then) {
    return button(t("removeName"), () => {
      if (confirm(t("removeNameSure", { name: username }))) void this.try(this.send("DELETE", `members/${encodeURIComponent(username)}/name/`), then);
    }, { ariaLabel: labelled(t("removeName"), username) });
  }

  /** @param {string} name @param {string} token */
  linkOf(name, token) {
    return `${this.home.href}join/#${encodeURIComponent(name)}:${token}${this.key}`;
  }

  /** Makes a new card for each member, which replaces earlier ones. Your own would end this page. @param {string[]} names */
  async makeCards(names) {
    if (!confirm(t("cardsSure", { count: names.length }))) return;
    /** @type {import("./cards.js").Card[]} */
    const cards = [];
    const problems = [];
    for (const name of names) {
      try {
        const { body } = await this.send("POST", `members/${encodeURIComponent(name)}/tokens/`, {});
        cards.push({ name, link: this.linkOf(name, body.token), ends: body.expires_at });
      } catch (error) {
        problems.push(labelled(name, reasonOf(error)));
      }
    }
    await showCards(this.project, cards, problems);
  }

  showGuests() {
    const title = element("input", { type: "text", maxLength: 100, ariaLabel: t("whoReads"), placeholder: t("whoReads") });
    this.guests.replaceChildren(element("h2", {}, t("guests")), element("div", { className: "buttons" }, title, button(t("linkForGuests"), () => {
      void this.try(this.project.timeIn(30 * 86_400_000).then((expires_at) =>
        this.send("POST", "links/", { title: title.value.trim() || t("guest"), expires_at, names: false })).then(({ body }) =>
        this.tell(t("linkFor", { name: body.title }), `${this.home.href}${body.path.replace(/^\/(w\/[^/]+\/)?/, "")}${this.key}`)));
    })), element("p", { className: "quiet" }, t("guestsNote")));
  }

  historySoon() {
    clearTimeout(this.timer);
    if (this.isShown) this.timer = setTimeout(() => void this.showHistory(), 1000);
  }

  async showHistory() {
    let entries;
    try {
      entries = await this.project.service.get(`${this.project.path}history/?page_size=${ENTRIES}`);
    } catch (error) {
      this.failed(reasonOf(error));
      return;
    }
    const rows = entries.map((/** @type {any} */ entry) => element("tr", {},
      element("td", { className: "text" }, moment(entry.time)), element("td", { className: "text" }, entry.username ?? ""),
      element("td", { className: "text" }, this.subjectOf(entry) ? labelled(wordFor("did", entry.operation), this.subjectOf(entry)) : wordFor("did", entry.operation),
        " ", element("span", { className: "quiet" }, [entry.before, entry.after].filter(Boolean).join(` ${t("becomes")} `))),
      element("td", {}, entry.can_be_undone ? button(t("undo"), () =>
        void this.try(this.send("POST", `history/${entry.id}/undo/`, {}), () => void this.showHistory()), { ariaLabel: labelled(t("undo"), this.subjectOf(entry)) }) : "")));
    this.history.replaceChildren(element("h2", {}, t("whoDidWhat")), element("table", {}, element("caption", { className: "unseen" }, t("whoDidWhat")), element("tbody", {}, ...rows)));
  }

  /** The changed diagram's title, or the thing as the service names it. @param {{diagram: number, subject: string | null}} entry */
  subjectOf({ diagram, subject }) {
    return this.project.diagrams.get(diagram)?.title || subject || "";
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
