// A project as the service has it, kept current by its events.

import { around, fromGeometry } from "../map/world.js";
import { Refused, Unreachable } from "./service.js";

/** @import { Service } from "./service.js" */
/** @import { Box, Shape } from "../map/world.js" */

/**
 * @typedef {object} System
 * @property {number} id
 * @property {string} name
 * @property {string} color #rrggbb
 * @property {string} description
 * @property {number | null} rate money per hectare
 */

/**
 * @typedef {object} Diagram
 * @property {number} id
 * @property {string} title
 * @property {number} sysid
 * @property {number} rank its place in its system
 * @property {string} author empty where a guest is told no names
 * @property {boolean} policy
 * @property {string} notes
 * @property {string} funding
 * @property {string | null} start YYYY-MM-DD; null if it has no days
 * @property {string | null} end
 * @property {string[]} tags their codes
 * @property {number} override
 * @property {string} overrideType
 * @property {any} geojson
 * @property {Shape[]} shapes
 * @property {Box | null} box
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

// After a change, costs are asked for when nothing has changed for a moment, and never more often than the service takes for them.
const COSTS_PAUSE = 200;
const COSTS_SHARE = 3;
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
    /** @type {{code: string, name: string}[]} */
    this.tags = [];
    /** @type {Design[]} */
    this.designs = [];
    /** @type {Team[]} */
    this.teams = [];
    /** @type {Record<string, Activity>} */
    this.activities = {};
    /** Whether the caller runs the workshop. */
    this.isAdministrator = isAdministrator;
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
    this.isCurrent = false;
    this.costsTimer = 0;
    this.closingTimer = 0;
    this.costsTook = 0;
    /** @type {Set<number>} diagrams that changed and are not read yet */
    this.stale = new Set();
    this.isReading = false;
    this.stop = () => {};
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
      state: (isCurrent) => {
        this.isCurrent = isCurrent;
        this.tell("state");
      },
    });
    await this.readAll();
    return this;
  }

  async readAll() {
    const { service, path } = this;
    const [info, members, systems, summaries, diagrams, tags, boundaries, constraints, bounds, layers] = await Promise.all([
      service.get(path),
      service.get(`${path}members/`).catch(unlessRefused(null)),
      service.list(`${path}systems/`),
      service.list(`${path}diagrams/`),
      service.get(`${path}diagrams/all/`),
      service.list(`${path}tags/`),
      service.get(`${path}boundaries/`),
      service.get(`${path}constraints/`),
      service.get(`${path}bounds/`),
      service.list(`${path}data_layers/`),
      this.readActivities(),
      this.readDesigns(),
    ]);
    this.title = String(info.projecttitle ?? "");
    this.description = String(info.projectdesc ?? "");
    this.isMember = Boolean(members?.members.some((/** @type {any} */ { username }) => username === this.me));
    this.systems = systems.map((system) => ({
      id: system.id, name: system.name ?? system.sysname, color: system.color ?? system.syscolor,
      description: system.verbose_description ?? "", rate: system.cost ?? system.syscost ?? null,
    }));
    this.tags = tags.map(({ tag, code }) => ({ name: tag, code }));
    this.boundaries = boundaries.geojson;
    this.constraints = constraints.geojson;
    this.layers = layers;
    this.bounds = String(bounds.bounds).split(",").map(Number);
    const authors = new Map(summaries.map(({ id, author }) => [id, author]));
    this.diagrams = new Map(diagrams.map((/** @type {any} */ row) => [row.id, diagramOf(row, authors.get(row.id))]));
    if (this.isMember) await this.readSelection();
    await this.readMembers();
    await this.readCosts();
  }

  async readActivities() {
    // Services without it have no activities that can be closed.
    this.activities = (await this.service.get(`${this.path}activities/`).catch(unlessRefused({}))) || {};
    this.tell("activities");
    // What closes at a time is closed then, and no event says so.
    clearTimeout(this.closingTimer);
    const ends = Object.values(this.activities).flatMap(({ closes_at }) => (closes_at ? [endOf(closes_at) - Date.now()] : []));
    const next = Math.min(...ends.filter((wait) => wait > 0), LONGEST_WAIT);
    if (next < LONGEST_WAIT) this.closingTimer = setTimeout(() => void this.readActivities().catch(() => {}), next + 100);
  }

  /** Whether members may do this now, and what an administrator says of it. @param {"drawing" | "selecting" | "designing"} what */
  mayDo(what) {
    const { open = true, closes_at = null, message = "" } = this.activities[what] || {};
    return { isOpen: open && (closes_at === null || endOf(closes_at) > Date.now()), message };
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
    const costs = await this.service.get(this.costsPath());
    this.costsTook = performance.now() - begun;
    if (about !== this.about) return;
    this.costs = costs;
    // The table has the figures of all diagrams.
    this.tell("costs", this.noteFigures(about.kind === "project" ? costs : await this.service.get(`${this.path}costs/`)));
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
    clearTimeout(this.costsTimer);
    this.costsTimer = setTimeout(() => this.readCosts().catch(() => {}), COSTS_PAUSE + COSTS_SHARE * this.costsTook);
  }

  /** @param {import("./service.js").ServiceEvent} event */
  async hear({ event, data }) {
    const later = (/** @type {Promise<any>} */ promise) => promise.catch(() => {});
    switch (event) {
      case "diagram":
        if (data.action === "removed") this.forget(Number(data.id));
        else this.readSoon(Number(data.id));
        return;
      case "selection":
        if (data.id === this.me) {
          await later(this.readSelection());
          if (this.about.kind === "selection") {
            await later(this.readMembers());
            this.costsSoon();
          }
        }
        return;
      case "design":
      case "team":
        await later(this.readDesigns());
        return;
      case "vote":
      case "negotiation":
        this.tell(event);
        return;
      case "activity":
        await later(this.readActivities());
        return;
      case "system":
        this.costsSoon();
        await later(this.readEverythingAnew());
        return;
      case "project":
      case "tag":
      case "layer":
      case "map":
      case "reset":
        await later(this.readEverythingAnew());
        return;
      case "end":
        this.tell("ended", data);
        return;
      default:
    }
  }

  async readEverythingAnew() {
    await this.readAll();
    this.tell("anew");
  }

  /** @param {number} id */
  forget(id) {
    const gone = this.diagrams.get(id);
    this.diagrams.delete(id);
    this.figures.delete(id);
    this.stale.delete(id);
    if (this.selection.delete(id)) this.tell("selection");
    if (gone) this.tell("diagrams", { changed: [], removed: [id], box: gone.box });
    this.costsSoon();
  }

  /** Reads a diagram that changed. @param {number} id */
  readSoon(id) {
    this.stale.add(id);
    if (!this.isReading) void this.readStale();
  }

  async readStale() {
    this.isReading = true;
    let pause = 500;
    while (this.stale.size) {
      const ids = [...this.stale].slice(0, 20);
      ids.forEach((id) => this.stale.delete(id));
      try {
        await Promise.all(ids.map((id) => this.readDiagram(id)));
      } catch {
        ids.forEach((id) => this.stale.add(id));
        await new Promise((resolve) => setTimeout(resolve, pause));
        pause = Math.min(pause * 2, 5000);
      }
    }
    this.isReading = false;
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
    const before = this.diagrams.get(id);
    const now = diagramOf(row, before?.author);
    this.diagrams.set(id, now);
    const boxes = [before?.box, now.box].filter((box) => box !== null && box !== undefined);
    this.tell("diagrams", { changed: [id], removed: [], box: around(boxes) });
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
    clearTimeout(this.costsTimer);
    clearTimeout(this.closingTimer);
  }
}

/** A time of the service, which is in UTC, in milliseconds. @param {string} text */
const endOf = (text) => new Date(`${text.replace(/Z$/, "")}Z`).getTime();

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

/** @param {any} row as the service tells a diagram @param {string} [author] @returns {Diagram} */
function diagramOf(row, author) {
  const features = row.geojson?.features ?? [];
  const shapes = features.flatMap((/** @type {any} */ feature) => fromGeometry(feature.geometry));
  const kind = row.type ?? features[0]?.properties?.areatype;
  return {
    id: row.id, title: row.description ?? "", sysid: row.sysid, rank: row.rank ?? 0,
    author: author ?? features[0]?.properties?.author ?? "", policy: kind === "policy", notes: row.notes ?? "",
    funding: row.fundingtype ?? "", start: row.undated ? null : row.start_date || null, end: row.undated ? null : row.end_date || null,
    tags: Array.isArray(row.tag_codes) ? row.tag_codes : String(row.tag_codes || "").split("|").filter(Boolean),
    override: row.cost_override ?? 0, overrideType: row.cost_override_type ?? "", geojson: row.geojson, shapes, box: around(shapes),
  };
}
