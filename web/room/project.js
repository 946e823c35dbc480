// A project as the service has it, kept current by its events.

import { around } from "../map/world.js";
import { RepeatedReads } from "./repeated_reads.js";
import { diagramOf } from "./diagram.js";
import { Refused, Unreachable } from "./failures.js";
import { Land } from "./land.js";
import { setCurrency, timeOf } from "./texts.js";

/** @import { Service } from "./service.js" */
/** @import { Diagram } from "./diagram.js" */

/**
 * @typedef {object} System
 * @property {number} id
 * @property {string} name
 * @property {string} color #rrggbb
 * @property {string} description
 * @property {number | null} rate money per hectare
 */

/** @typedef {{cost: number | null, area: number, length: number, problem: string | null}} Figures */
/** @typedef {{title: string, team: string, teamid: number, id: string, created: string}} Design */
/** @typedef {{id: number, title: string, members: string[]}} Team */
/** @typedef {{open: boolean, closes_at: string | null, message: string}} Activity */

/**
 * What a set of diagrams costs: the whole project, a selection or a design.
 * @typedef {object} Costs
 * @property {number | null} total
 * @property {number} unpriced
 * @property {any[]} systems
 * @property {any[]} diagrams
 */

/** What costs, table and map are about. @typedef {{kind: "project" | "selection"} | {kind: "design", design: Design}} About */

// After a change, costs are asked for after a moment, because others may follow, and never more often than the service takes for them.
const COSTS_PAUSE = 200;
const COSTS_SHARE = 3;
// Milliseconds: diagrams tell the second in which they were made.
const CLOCK_STEP = 1000;
// Milliseconds, a day: browsers take no longer times.
const LONGEST_WAIT = 86_400_000;

/**
 * Events: `diagrams` (detail: `{changed, removed, box}`), `costs` (detail: the diagrams whose figures changed), `selection`, `designs`,
 * `activities`, `about`, `state`, `vote`, `negotiation`, `anew` (everything was read again), `ended` (detail: `{reason}`).
 */
export class Project extends EventTarget {
  /**
   * @param {Service} service @param {string} id @param {string} me
   * @param {boolean} [isAdministrator] whether the caller is known to run the workshop
   */
  constructor(service, id, me, isAdministrator = false) {
    super();
    this.service = service;
    this.id = id;
    this.me = me;
    this.path = `projects/${id}/`;
    this.title = "";
    this.description = "";
    this.land = new Land(this);
    /** Whether the caller is a member; guests only read. */
    this.isMember = false;
    /** @type {System[]} */
    this.systems = [];
    /** @type {Map<number, Diagram>} */
    this.diagrams = new Map();
    /** @type {Map<number, Figures>} */
    this.figures = new Map();
    /** @type {Set<number>} what the caller has chosen */
    this.selection = new Set();
    /** @type {{id: string, code: string, name: string}[]} */
    this.tags = [];
    /** @type {Design[]} */
    this.designs = [];
    /** @type {Team[]} */
    this.teams = [];
    /** @type {Record<string, Activity>} */
    this.activities = {};
    /** Whether the caller runs the workshop. */
    this.isAdministrator = isAdministrator;
    /** Whether the service says that the caller administers the project, and may change what others drew. */
    this.administers = false;
    /** @type {any} */
    this.boundaries = null;
    /** @type {any} */
    this.constraints = null;
    /** @type {any[]} */
    this.layers = [];
    /** @type {number[]} */
    this.bounds = [-180, -60, 180, 75];
    /** @type {About} */
    this.about = { kind: "project" };
    /** @type {Set<number> | null} the diagrams that it is about; null for all */
    this.members = null;
    /** @type {Costs | null} */
    this.costs = null;
    /** @type {import("./stream.js").Arrival | ""} */
    this.arrival = "";
    /** The version of the project that was read at the last time, and whether its events are heard since. */
    this.changeid = "";
    this.isFollowing = false;
    this.closingTimer = 0;
    this.costsTook = 0;
    /** How often costs were asked for, and which answer was noted last: answers may come in another order. */
    this.costsAsked = 0;
    this.costsNoted = 0;
    this.again = new RepeatedReads();
    /** @type {Set<number>} diagrams that changed and are not read yet */
    this.stale = new Set();
    /** @type {Set<number>} diagrams of which something was told while everything was read: what was read may be older */
    this.touched = new Set();
    /** The highest id that was read: a diagram that appears with a lower one was restored. */
    this.newest = 0;
    /** When everything was read, by the clock of the service. */
    this.readAt = 0;
    /** @type {Set<number>} diagrams that are no more, though an answer about them may be on its way */
    this.gone = new Set();
    this.stop = () => {};
    /** @type {Promise<void>} */
    this.opening = Promise.resolve();
  }

  /** Whether changes arrive. */
  get isCurrent() {
    return this.arrival === "streams" || this.arrival === "asks";
  }

  /** @param {string} name @param {any} [detail] */
  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /** Reads everything, and follows the changes. */
  async open() {
    // Before anything is read, so that no change falls in between.
    this.stop = this.service.listen(this.id, {
      event: (event) => this.hear(event),
      state: (arrival, administers) => {
        this.administers ||= administers;
        if (arrival === this.arrival) return;
        this.arrival = arrival;
        this.tell("state");
      },
    });
    this.opening = this.readAll();
    await this.opening;
    return this;
  }

  async readAll() {
    const { service, path } = this;
    this.touched.clear();
    // Before all else, so that what is read is not older.
    this.changeid = (await service.get(`${path}changeid/`)).changeid;
    this.readAt = service.now();
    const [info, members, systems, summaries, diagrams, tags, boundaries, constraints, bounds] = await Promise.all([
      service.get(path),
      service.get(`${path}members/`).catch(unlessRefused(null)),
      service.list(`${path}systems/`),
      service.list(`${path}diagrams/`),
      service.get(`${path}diagrams/all/`),
      service.list(`${path}tags/`),
      service.get(`${path}boundaries/`),
      service.get(`${path}constraints/`),
      service.get(`${path}bounds/`),
      this.readLayers(),
      this.readActivities(),
      this.readDesigns(),
    ]);
    this.title = String(info.projecttitle ?? "");
    setCurrency(String(info.currency ?? ""));
    this.description = String(info.projectdesc ?? "");
    this.isMember = Boolean(members?.members.some((/** @type {any} */ { username }) => username === this.me));
    this.systems = systems.map((system) => ({
      id: system.id, name: system.name ?? system.sysname, color: system.color ?? system.syscolor,
      description: system.verbose_description ?? "", rate: system.cost ?? system.syscost ?? null,
    }));
    this.tags = tags.map(({ id, tag, code }) => ({ id, name: tag, code }));
    this.boundaries = boundaries.geojson;
    this.constraints = constraints.geojson;
    this.bounds = String(bounds.bounds).split(",").map(Number);
    const authors = new Map(summaries.map(({ id, author }) => [id, author]));
    this.diagrams = new Map(diagrams.map((/** @type {any} */ row) => [row.id, diagramOf(row, authors.get(row.id))]));
    this.newest = Math.max(this.newest, ...this.diagrams.keys());
    if (this.isMember) await this.readSelection();
    for (const id of [...this.touched]) this.readSoon(id);
    await this.readMembers();
    await this.readCosts();
  }

  async readLayers() {
    this.layers = await this.service.list(`${this.path}data_layers/`);
  }

  async readActivities() {
    // Services without it have no activities that can be closed.
    this.activities = (await this.service.get(`${this.path}activities/`).catch(unlessRefused({}))) || {};
    this.tell("activities");
    // What closes at a time is closed then, and no event says so.
    clearTimeout(this.closingTimer);
    const ends = Object.values(this.activities).flatMap(({ closes_at }) => (closes_at ? [timeOf(closes_at).getTime() - this.service.now()] : []));
    const next = Math.min(...ends.filter((wait) => wait > 0), LONGEST_WAIT);
    if (next < LONGEST_WAIT) this.closingTimer = setTimeout(() => this.soon("activities", () => this.readActivities()), next + 100);
  }

  /**
   * The time of the service after a while, as the wire has it. The clock of this machine may be wrong, and set right while the page is
   * open, so that the service is asked once more.
   * @param {number} milliseconds
   */
  async timeIn(milliseconds) {
    await this.service.get(`${this.path}changeid/`);
    return new Date(this.service.now() + milliseconds).toISOString();
  }

  /** Whether members may do this now, and what an administrator says of it. @param {"drawing" | "selecting" | "designing"} what */
  mayDo(what) {
    const { open = true, closes_at = null, message = "" } = this.activities[what] || {};
    return { isOpen: open && (closes_at === null || timeOf(closes_at).getTime() > this.service.now()), message };
  }

  async readSelection() {
    this.selection = new Set(await this.selectionOf(this.me));
    this.tell("selection");
  }

  async readDesigns() {
    const teams = await this.service.list(`${this.path}cteams/`);
    const lists = await Promise.all(teams.map(({ id }) => this.service.get(`${this.path}cteams/${id}/`)));
    // Guests may be told no names.
    const members = await Promise.all(teams.map(({ id }) => this.service.get(`${this.path}cteams/${id}/members/`).catch(unlessRefused({ members: [] }))));
    this.teams = teams.map(({ id, title }, place) => ({ id, title: title ?? "", members: members[place].members }));
    this.designs = teams.flatMap(({ id: teamid, title: team }, place) =>
      lists[place].synthesis.map((/** @type {any} */ { id, description, creationdate }) =>
        ({ id, teamid, team: team ?? "", title: description ?? "", created: creationdate ?? "" })));
    const { about } = this;
    if (about.kind === "design") {
      const design = this.designs.find(({ id, teamid }) => id === about.design.id && teamid === about.design.teamid);
      // The same object, because answers about it may be on their way.
      if (design) about.design = design;
      else this.about = { kind: "project" };
    }
    this.tell("designs");
  }

  /** @param {About} about */
  async setAbout(about) {
    this.about = about;
    this.tell("about");
    await this.readMembers();
    await this.readCosts();
  }

  /** Which diagrams it is about. */
  async readMembers() {
    const { about } = this;
    if (about.kind === "design") {
      const found = await this.diagramsOf(about.design);
      if (this.about === about) this.members = new Set(found);
    } else this.members = about.kind === "selection" ? this.selection : null;
    this.tell("about");
  }

  /** The latest design of each team that has one. */
  latestDesigns() {
    return this.teams.flatMap(({ id }) => this.designs.filter(({ teamid }) => teamid === id).slice(-1));
  }

  /** The teams in whose name the caller saves designs. */
  ownTeams() {
    return this.teams.filter(({ members }) => this.isAdministrator || members.includes(this.me));
  }

  /** The diagrams of a design. @param {Design} design @returns {Promise<number[]>} */
  async diagramsOf({ teamid, id }) {
    const found = await this.service.get(`${this.path}cteams/${teamid}/${id}/diagrams/`);
    return Array.isArray(found) ? found : found.diagrams;
  }

  /** What a member has chosen. @param {string} name @returns {Promise<number[]>} */
  async selectionOf(name) {
    const found = await this.service.get(`${this.path}members/${encodeURIComponent(name)}/diagrams/`);
    return [...new Set(found.features.map((/** @type {any} */ feature) => Number(feature.properties.diagramid)))];
  }

  /** Puts diagrams in the place of what the caller has chosen. @param {number[]} ids */
  async chooseAll(ids) {
    await this.service.send("PUT", `${this.path}members/${encodeURIComponent(this.me)}/diagrams/`, { diagrams: ids });
    this.selection = new Set(ids);
    this.tell("selection");
    if (this.about.kind === "selection") await this.setAbout(this.about);
  }

  /**
   * Saves a design of a team.
   * @param {number} teamid @param {string} title @param {number[]} diagrams @param {string} key by which the service knows the request again
   * @returns {Promise<Design>}
   */
  async saveDesign(teamid, title, diagrams, key) {
    const { body } = await this.service.send("POST", `${this.path}cteams/${teamid}/`, { description: title, diagrams }, { "Idempotency-Key": key });
    await this.readDesigns();
    const saved = this.designs.find(({ id }) => id === body.id);
    if (!saved) throw new Refused(404, body.id);
    return saved;
  }

  /** The path of the costs that are shown. */
  costsPath() {
    const { about } = this;
    if (about.kind === "design") return `${this.path}cteams/${about.design.teamid}/${about.design.id}/costs/`;
    return about.kind === "selection" ? `${this.path}members/${encodeURIComponent(this.me)}/costs/` : `${this.path}costs/`;
  }

  async readCosts() {
    const begun = performance.now();
    const { about } = this;
    const turn = (this.costsAsked += 1);
    const costs = await this.service.get(this.costsPath());
    // The table has the figures of all diagrams.
    const all = about.kind === "project" ? costs : await this.service.get(`${this.path}costs/`);
    this.costsTook = performance.now() - begun;
    if (about !== this.about || turn < this.costsNoted) return;
    this.costsNoted = turn;
    this.costs = costs;
    this.tell("costs", this.noteFigures(all));
  }

  /** @param {Costs} costs @returns {number[]} the diagrams whose figures changed */
  noteFigures({ diagrams }) {
    const changed = [];
    for (const { diagramid: id, cost, area_ha: area, length_km: length, cost_problem, geometry_problem } of diagrams) {
      const known = this.figures.get(id);
      if (known && known.cost === cost && known.area === area && known.length === length) continue;
      this.figures.set(id, { cost, area, length, problem: cost_problem ?? geometry_problem });
      changed.push(id);
    }
    return changed;
  }

  /** Asks for the costs soon. */
  costsSoon() {
    this.soon("costs", () => this.readCosts(), () => COSTS_PAUSE + COSTS_SHARE * this.costsTook);
  }

  /** @param {string} name @param {() => Promise<void>} does @param {() => number} [wait] */
  soon(name, does, wait) {
    void this.again.soon(name, does, wait);
  }

  /** Reads who is in what is shown, and what it costs. */
  async readShown() {
    await this.readMembers();
    this.costsSoon();
  }

  /** @param {import("./stream.js").ServiceEvent} event */
  hear({ event, data }) {
    switch (event) {
      case "hello":
        this.administers = data.administrator === true;
        // Changes between what was read and the first event are told nobody.
        if (!this.isFollowing) this.soon("hello", async () => {
          await this.opening;
          if (this.changeid !== data.changeid) await this.readEverythingAnew();
        });
        this.isFollowing = true;
        return;
      case "diagram":
        if (data.action === "removed") this.forget(Number(data.id));
        else this.readSoon(Number(data.id));
        return;
      case "selection":
        if (data.id !== this.me) return;
        this.soon("selection", async () => {
          await this.readSelection();
          if (this.about.kind === "selection") await this.readShown();
        });
        return;
      case "design":
      case "team":
        this.soon("designs", async () => {
          const isShown = this.about.kind === "design";
          await this.readDesigns();
          if (isShown) await this.readShown();
        });
        return;
      case "vote":
      case "negotiation":
        this.tell(event);
        return;
      case "activity":
        this.soon("activities", () => this.readActivities());
        return;
      case "member":
        // The name of somebody who left may stand nowhere any more.
        if (data.action === "removed") this.soon("all", () => this.readEverythingAnew());
        return;
      case "system":
      case "project":
      case "tag":
      case "layer":
      case "map":
      case "reset":
        this.soon("all", () => this.readEverythingAnew());
        return;
      case "end":
        this.tell("ended", data);
        return;
      default:
    }
  }

  async readEverythingAnew() {
    await this.opening;
    await this.readAll();
    this.tell("anew");
  }

  /** @param {number} id */
  forget(id) {
    const gone = this.diagrams.get(id);
    this.gone.add(id);
    this.touched.add(id);
    this.diagrams.delete(id);
    this.figures.delete(id);
    this.stale.delete(id);
    if (this.selection.delete(id)) this.tell("selection");
    if (gone) this.tell("diagrams", { changed: [], removed: [id], box: gone.box });
    this.costsSoon();
  }

  /** Reads a diagram that changed. @param {number} id */
  readSoon(id) {
    this.gone.delete(id);
    this.touched.add(id);
    this.stale.add(id);
    this.soon("diagrams", () => this.readStale());
  }

  async readStale() {
    while (this.stale.size && !this.again.hasClosed) {
      const ids = [...this.stale].slice(0, 20);
      ids.forEach((id) => this.stale.delete(id));
      const answers = await Promise.allSettled(ids.map((id) => this.readDiagram(id)));
      const missed = answers.flatMap((answer, place) => answer.status === "rejected" && answer.reason instanceof Unreachable ? [ids[place]] : []);
      missed.forEach((id) => this.stale.add(id));
      if (missed.length) throw new Unreachable("Some diagrams were not read.");
    }
    this.costsSoon();
  }

  /** @param {number} id */
  async readDiagram(id) {
    let row;
    try {
      row = await this.service.get(`${this.path}diagrams/${id}/`);
    } catch (error) {
      if (error instanceof Refused && error.status === 404) {
        this.forget(id);
        return;
      }
      throw error;
    }
    if (this.gone.has(id)) return;
    const before = this.diagrams.get(id);
    // A diagram that was restored is where it was: in choices and designs.
    const isOld = id <= this.newest || timeOf(row.created_at).getTime() < this.readAt - CLOCK_STEP;
    if (!before && isOld) this.soon("restored", () => this.readRestored());
    this.newest = Math.max(this.newest, id);
    const now = diagramOf(row, row.geojson?.features?.length ? undefined : before?.author);
    this.diagrams.set(id, now);
    const boxes = [before?.box, now.box].filter((box) => box !== null && box !== undefined);
    this.tell("diagrams", { changed: [id], removed: [], box: around(boxes) });
  }

  async readRestored() {
    if (this.isMember) await this.readSelection();
    await this.readShown();
  }

  /** Chooses diagrams for one's own selection, or takes them out of it. @param {number} id @param {boolean} isChosen */
  async choose(id, isChosen) {
    if (isChosen) this.selection.add(id);
    else this.selection.delete(id);
    this.tell("selection");
    try {
      await this.service.send("PATCH", `${this.path}members/${encodeURIComponent(this.me)}/diagrams/`, isChosen ? { add: [id] } : { remove: [id] });
    } catch (error) {
      if (isChosen) this.selection.delete(id);
      else this.selection.add(id);
      this.tell("selection");
      throw error;
    }
    if (this.about.kind === "selection") this.costsSoon();
  }

  /** @param {number} sysid @returns {Promise<any>} the evaluation map of a system as GeoJSON */
  async evaluation(sysid) {
    return (await this.service.get(`${this.path}systems/${sysid}/evaluation/`)).geojson;
  }

  close() {
    this.stop();
    this.again.close();
    clearTimeout(this.closingTimer);
  }
}

/**
 * Of a refusal, another value; all else is thrown.
 * @template T
 * @param {T} value
 */
function unlessRefused(value) {
  return (/** @type {unknown} */ error) => {
    if (error instanceof Unreachable || !(error instanceof Refused)) throw error;
    return value;
  };
}
