// Two designs side by side, and what two teams decide of them: diagram by diagram towards one design.

import { button, element, swatch } from "../map/elements.js";
import { MapOfScene } from "../map/map.js";
import { reasonOf } from "./reasons.js";
import { randomId } from "./session.js";
import { exactMoney, hectares, money, t } from "./texts.js";

/** @import { Project, Design } from "./project.js" */
/** @import { RoomMap } from "./room_map.js" */

/** @typedef {{move: string, comment: string}} Decision */

const MOVES = /** @type {const} */ (["accept", "reject", "ask"]);
const SIGNS = { accept: "✓", reject: "✗", ask: "?" };

/**
 * Opens the comparison over the page.
 * @param {Project} project @param {RoomMap} room @param {Design} a @param {Design} b
 */
export async function openComparison(project, room, a, b) {
  const [inA, inB] = await Promise.all([project.diagramsOf(a), project.diagramsOf(b)]);
  const comparison = new Comparison(project, room, [a, b], [inA, inB]);
  await comparison.open();
}

class Comparison {
  /** @param {Project} project @param {RoomMap} room @param {[Design, Design]} designs @param {[number[], number[]]} members */
  constructor(project, room, designs, members) {
    this.project = project;
    this.room = room;
    this.designs = designs;
    this.members = members;
    const [inA, inB] = members.map((ids) => new Set(ids));
    this.groups = [
      { name: t("onlyIn", { title: designs[0].title }), ids: members[0].filter((id) => !inB.has(id)) },
      { name: t("inBoth"), ids: members[0].filter((id) => inB.has(id)) },
      { name: t("onlyIn", { title: designs[1].title }), ids: members[1].filter((id) => !inA.has(id)) },
    ];
    /** @type {string | null} the negotiation of these teams, if one has begun */
    this.session = null;
    /** @type {Map<number, Decision>} */
    this.decisions = new Map();
    this.deciding = Promise.resolve();
    this.mayDecide = project.isAdministrator || designs.some(({ teamid }) => project.teams.find(({ id }) => id === teamid)?.members.includes(project.me));
  }

  async open() {
    const { project, designs } = this;
    this.dialog = element("dialog", { className: "full", "aria-labelledby": "comparison-title" });
    this.views = element("div", { className: "views" });
    this.lists = element("div", { className: "lists" });
    this.trouble = element("p", { className: "trouble", role: "alert" });
    this.facts = element("div", { className: "buttons" });
    this.dialog.append(
      element("header", { className: "bar" }, element("h1", { id: "comparison-title" }, `${designs[0].title} · ${designs[1].title}`),
        button("✕", () => this.dialog?.close(), { ariaLabel: t("close") })),
      this.views, this.trouble, this.facts, this.lists);
    document.body.append(this.dialog);
    this.dialog.showModal();
    const scene = this.room.newScene();
    scene.shown.evaluation = -1;
    const map = new MapOfScene(this.views, scene, designs.map(({ team, title }, place) => ({ title: `${team}: ${title}`, members: this.members[place] })), { host: this.dialog });
    const anew = () => void this.readSession();
    project.addEventListener("negotiation", anew);
    this.dialog.addEventListener("close", () => {
      project.removeEventListener("negotiation", anew);
      map.remove();
      this.dialog?.remove();
    });
    this.map = map;
    await this.readSession();
  }

  /** What the two teams have decided so far, in their latest negotiation. */
  async readSession() {
    const { project, designs } = this;
    try {
      const { all_negotiations: all } = await project.service.get(`${project.path}negotiation_logs/`);
      const teams = designs.map(({ teamid }) => teamid).sort().join();
      const latest = all.filter((/** @type {any} */ { cteams }) => [...cteams].sort().join() === teams).pop();
      this.session = latest?.session_id ?? null;
      // A later word about a diagram replaces an earlier one.
      this.decisions = new Map((latest?.moves ?? []).map((/** @type {any} */ { diagram, move, comment }) => [diagram, { move, comment: comment ?? "" }]));
    } catch (error) {
      this.complain(reasonOf(error));
    }
    this.show();
  }

  /** @param {string} text */
  complain(text) {
    if (this.trouble) this.trouble.textContent = text;
  }

  /** One decision after the other, because the first one begins the negotiation. @param {number} id @param {string} move */
  decide(id, move) {
    const comment = move === "accept" ? "" : prompt(t("why")) ?? "";
    this.deciding = this.deciding.then(() => this.send(id, move, comment));
  }

  /** @param {number} id @param {string} move @param {string} comment */
  async send(id, move, comment) {
    const { project, designs } = this;
    try {
      if (!this.session) {
        const cteams = [...new Set(designs.map(({ teamid }) => teamid))];
        this.session = (await project.service.send("POST", `${project.path}negotiation_logs/`, { cteams }, { "Idempotency-Key": randomId() })).body.session_id;
      }
      await project.service.send("POST", `${project.path}negotiation_logs/${this.session}/`, { diagram: id, move, comment }, { "Idempotency-Key": randomId() });
      this.decisions.set(id, { move, comment });
      this.show();
    } catch (error) {
      this.complain(reasonOf(error));
    }
  }

  /** The diagrams on which both agree: those in both designs unless they were rejected, and what was accepted. */
  agreed() {
    const [onlyA, both, onlyB] = this.groups.map(({ ids }) => ids);
    const is = (/** @type {number} */ id) => this.decisions.get(id)?.move;
    return [...both.filter((id) => is(id) !== "reject" && is(id) !== "ask"), ...[...onlyA, ...onlyB].filter((id) => is(id) === "accept")];
  }

  show() {
    const agreed = this.agreed();
    this.facts?.replaceChildren(...this.designs.map((design, place) => element("p", {}, `${design.title}: ${this.sum(this.members[place])}`)),
      element("p", { role: "status" }, `${t("agreed")}: ${this.sum(agreed)}`), ...this.saving(agreed));
    this.lists?.replaceChildren(...this.groups.map(({ name, ids }) => element("section", {}, element("h2", {}, `${name} (${ids.length})`),
      element("ul", {}, ...ids.map((id) => this.row(id))))));
  }

  /** How many diagrams, and the sum of what the service says they cost. @param {number[]} ids */
  sum(ids) {
    let total = 0, unknown = 0;
    for (const id of ids) {
      const cost = this.project.figures.get(id)?.cost;
      if (cost === null || cost === undefined) unknown += 1;
      else total += cost;
    }
    return [t("countOfDiagrams", { count: ids.length }), exactMoney(total), unknown ? t("unpriced", { count: unknown }) : ""].filter(Boolean).join(" · ");
  }

  /** @param {number[]} agreed */
  saving(agreed) {
    const { project, designs } = this;
    const teams = project.ownTeams().filter(({ id }) => designs.some(({ teamid }) => teamid === id));
    if (!this.mayDecide || !teams.length) return [];
    const title = element("input", { type: "text", ariaLabel: t("titleOfDesign"), placeholder: t("titleOfDesign"), value: this.wantedTitle || "" });
    title.addEventListener("input", () => (this.wantedTitle = title.value));
    // What is agreed makes this anew; a second click sends the same design again, which is saved once.
    const keys = new Map();
    const keyOf = (/** @type {string} */ text) => keys.get(text) ?? keys.set(text, randomId()).get(text);
    return [title, button(t("saveAgreed", { team: teams[0].title }), () => {
      if (!title.value.trim()) {
        this.complain(t("noTitle"));
        return;
      }
      project.saveDesign(teams[0].id, title.value.trim(), agreed, keyOf(title.value.trim()))
        .then((design) => {
          this.dialog?.close();
          return project.setAbout({ kind: "design", design });
        })
        .catch((error) => this.complain(reasonOf(error)));
    }, { className: "main" })];
  }

  /** @param {number} id */
  row(id) {
    const { project } = this;
    const diagram = project.diagrams.get(id);
    const figures = project.figures.get(id);
    const decision = this.decisions.get(id);
    const color = project.systems.find((system) => system.id === diagram?.sysid)?.color || "#777777";
    const facts = figures ? [figures.area > 0 && hectares(figures.area), figures.cost === null ? t("noCost") : money(figures.cost)].filter(Boolean).join(" · ") : "";
    const row = element("li", {}, element("div", {}, swatch(color), element("b", {}, diagram?.title || String(id)), " ",
      element("span", { className: "quiet" }, facts), decision?.comment ? element("q", {}, decision.comment) : null),
      this.mayDecide && element("span", { className: "moves" }, ...MOVES.map((move) => button(SIGNS[move], () => this.decide(id, move), {
        "aria-pressed": String(decision?.move === move), ariaLabel: `${t(move)}: ${diagram?.title}`, title: t(move),
      }))));
    row.addEventListener("mouseenter", () => this.map?.mark([id]));
    row.addEventListener("mouseleave", () => this.map?.mark([]));
    return row;
  }

  /** @type {string | undefined} */
  wantedTitle;
}
