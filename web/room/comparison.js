// Two designs side by side, and two teams' decisions on them, diagram by diagram, towards one design.

import { button, element, swatch } from "../map/elements.js";
import { MapOfScene } from "../map/map.js";
import { askText } from "./ask.js";
import { collisionList } from "./collision_list.js";
import { collisionsBetween, collisionsIn } from "./collisions.js";
import { figuresOf, figuresText } from "./design_figures.js";
import { expectedCosts } from "./expected_costs.js";
import { openFull } from "./full_dialog.js";
import { reasonOf } from "./reasons.js";
import { randomId } from "./session.js";
import { hectares, labelled, money, t } from "./texts.js";
import { inOrderOf, opinionText, orderChoice, readVotes } from "./votes.js";

/** @import { Project, Design } from "./project.js" */
/** @import { RoomMap } from "./room_map.js" */
/** @import { Collision } from "./collisions.js" */
/** @import { DesignFigures } from "./design_figures.js" */
/** @import { Order, Votes } from "./votes.js" */

/** @typedef {{move: string, comment: string}} Decision */

const MOVES = /** @type {const} */ (["accept", "reject", "ask"]);
// More outlines than these cover the maps, and are drawn when somebody asks for them.
const MOST_MARKED = 100;
const SIGNS = { accept: "✓", reject: "✗", ask: "?" };

/**
 * Opens the comparison over the page.
 * @param {Project} project @param {RoomMap} room @param {Design} a @param {Design} b
 */
export async function openComparison(project, room, a, b) {
  const figures = await Promise.all([figuresOf(project, a), figuresOf(project, b)]);
  const collisions = (await collisionsBetween(project, figures[0].ids, figures[1].ids)) ?? [];
  await new Comparison(project, room, figures, collisions).open();
}

class Comparison {
  /** @param {Project} project @param {RoomMap} room @param {[DesignFigures, DesignFigures]} figures @param {Collision[]} collisions */
  constructor(project, room, figures, collisions) {
    this.project = project;
    this.room = room;
    this.figures = figures;
    this.collisions = collisions;
    this.isMarked = collisions.length > 0 && collisions.length <= MOST_MARKED;
    const designs = figures.map(({ design }) => design);
    this.designs = designs;
    const members = figures.map(({ ids }) => ids);
    this.members = members;
    this.title = element("input", { type: "text", ariaLabel: t("titleOfDesign"), placeholder: t("titleOfDesign") });
    this.colliding = element("section", { className: "colliding" });
    this.ordering = element("div", { className: "buttons" });
    /** @type {Order} */
    this.order = "project";
    /** @type {Votes | null} */
    this.votes = null;
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
    this.views = element("div", { className: "views" });
    this.lists = element("div", { className: "lists" });
    this.trouble = element("p", { className: "trouble", role: "alert" });
    this.facts = element("div", { className: "buttons" });
    const { dialog, closing } = openFull("comparison", `${designs[0].title} · ${designs[1].title}`,
      [this.views, this.trouble, this.facts, this.colliding, this.ordering, this.lists]);
    this.dialog = dialog;
    const scene = this.room.newScene();
    scene.shown.evaluation = -1;
    const map = new MapOfScene(this.views, scene, this.figures.map((one) => ({ title: labelled(one.design.team, one.design.title), facts: figuresText(one), members: one.ids })), { host: this.dialog, texts: this.room.map.texts });
    project.addEventListener("negotiation", () => void this.readSession(), { signal: closing });
    for (const name of ["vote", "activities"]) project.addEventListener(name, () => project.soon("votes", () => this.readVotes(), () => 300), { signal: closing });
    this.room.dark.addEventListener("change", () => map.lookAnew(), { signal: closing });
    closing.addEventListener("abort", () => map.remove());
    this.map = map;
    this.showCollisions();
    await Promise.all([this.readSession(), this.readVotes()]);
  }

  /** Shows where the two designs have different diagrams on the same land. */
  showCollisions() {
    const { project, collisions } = this;
    const ids = collisions.flatMap(({ one, other }) => [one, other]);
    const mark = element("input", { type: "checkbox", checked: this.isMarked });
    const pin = () => this.map?.pin(mark.checked ? ids : []);
    mark.addEventListener("change", pin);
    this.colliding.replaceChildren(element("h2", {}, `${t("collideHere")} (${collisions.length})`), ...(collisions.length
      ? [element("label", {}, mark, t("markCollisions")), collisionList(project, collisions, collisions.length <= 6, (pair) => this.map?.mark(pair))]
      : [element("p", { className: "quiet" }, t("noCollisions"))]));
    pin();
  }

  async readVotes() {
    const votes = await readVotes(this.project);
    if (!votes || !this.dialog?.open) return;
    if (!this.votes) this.ordering.append(orderChoice(this.order, ["project", "disagreed", "supported", "unvoted"], (order) => {
      this.order = order;
      this.show();
    }));
    this.votes = votes;
    this.show();
  }

  /** Reads the two teams' decisions in their latest negotiation. */
  async readSession() {
    const { project, designs } = this;
    try {
      const { all_negotiations: all } = await project.service.get(`${project.path}negotiation_logs/`);
      const teams = designs.map(({ teamid }) => teamid).sort().join();
      const latest = all.filter((/** @type {any} */ { cteams }) => [...cteams].sort().join() === teams).pop();
      this.session = latest?.session_id ?? null;
      // A later decision on a diagram replaces an earlier one.
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

  /** Sends one decision after the other, because the first one starts the negotiation. @param {number} id @param {string} move */
  async decide(id, move) {
    const comment = move === "accept" ? "" : await askText(t("why"), t(/** @type {any} */ (move)));
    if (comment === null) return;
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

  /** The diagrams on which both agree: those in both designs unless they were rejected, and the accepted ones. */
  agreed() {
    const [onlyA, both, onlyB] = this.groups.map(({ ids }) => ids);
    const is = (/** @type {number} */ id) => this.decisions.get(id)?.move;
    return [...both.filter((id) => is(id) !== "reject" && is(id) !== "ask"), ...[...onlyA, ...onlyB].filter((id) => is(id) === "accept")];
  }

  show() {
    const agreed = this.agreed();
    const isTyping = document.activeElement === this.title;
    this.facts?.replaceChildren(element("p", { role: "status" }, labelled(t("agreed"), ""), this.sum(agreed)), ...this.saving(agreed));
    this.lists?.replaceChildren(...this.groups.map(({ name, ids }) => element("section", {}, element("h2", {}, `${name} (${ids.length})`),
      element("ul", {}, ...inOrderOf(ids, this.order, this.votes ?? new Map(), this.project.me).map((id) => this.row(id))))));
    if (isTyping) this.title.focus();
  }

  /** Costs and targets of the agreed diagrams, which are no design yet, so the page adds them up. @param {number[]} ids */
  sum(ids) {
    const costs = expectedCosts(this.project, ids);
    const text = element("span", {}, costs ? figuresText({ ids, costs, collisions: null }) : t("countOfDiagrams", { count: ids.length }));
    // Once it is on the page; others may have decided more by then. If the service cannot be asked, collisions are not mentioned.
    void Promise.resolve().then(() => collisionsIn(this.project, ids, () => text.isConnected)).then((collisions) => {
      if (collisions && costs) text.textContent = figuresText({ ids, costs, collisions });
    }, () => undefined);
    return text;
  }

  /** @param {number[]} agreed */
  saving(agreed) {
    const { project, designs } = this;
    const teams = project.ownTeams().filter(({ id }) => designs.some(({ teamid }) => teamid === id));
    if (!this.mayDecide || !teams.length) return [];
    // It stays the same field while others decide.
    const title = this.title;
    // Each agreement remakes this. A second click sends the same design again, which is saved once.
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
    const votes = this.votes?.get(id);
    const row = element("li", {}, element("div", {}, swatch(color), element("b", {}, diagram?.title || String(id)), " ",
      element("span", { className: "quiet" }, facts), votes && element("span", { className: "quiet opinion" }, opinionText(this.project, votes)), decision?.comment ? element("q", {}, decision.comment) : null),
      this.mayDecide && element("span", { className: "moves" }, ...MOVES.map((move) => button(SIGNS[move], () => void this.decide(id, move), {
        "aria-pressed": String(decision?.move === move), ariaLabel: labelled(t(move), diagram?.title), title: t(move),
      }))));
    row.dataset.id = String(id);
    row.addEventListener("mouseenter", () => this.map?.mark([id]));
    row.addEventListener("mouseleave", () => this.map?.mark([]));
    return row;
  }
}
