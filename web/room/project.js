// A project as the service has it, kept up to date by its events.

import { around } from "../map/world.js";
import { RepeatedReads } from "./repeated_reads.js";
import { diagramOf } from "./diagram.js";
import { randomId } from "./session.js";
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
 * @property {Record<string, number>} impacts from -2 to 2, by the id of the system that it acts on
 */

/** @typedef {{cost: number | null, area: number, length: number, pieces?: number, floor?: number, quantities?: Record<string, number | null>, problem: string | null}} Figures */
/** @typedef {{title: string, team: string, teamid: number, id: string, created: string}} Design */
/** @typedef {{id: number, title: string, color?: string | null, members: string[]}} Team */

/** A member who is here now. @typedef {{username: string, cteams: number[], since: string}} Present */
/** @typedef {{open: boolean, closes_at: string | null, message: string}} Activity */

/**
 * Costs of a set of diagrams: of all, of a selection or of a design.
 * @typedef {object} Costs
 * @property {number | null} total
 * @property {number} unpriced
 * @property {any[]} systems
 * @property {any[]} diagrams
 */

/** The subject of costs, table and map. @typedef {{kind: "project" | "selection"} | {kind: "design", design: Design}} About */

// After a change, costs are requested after a pause, because others may follow: a minimum, plus a multiple of the last request's time.
const COSTS_PAUSE = 200;
const COSTS_SHARE = 3;
// Milliseconds: the time of a diagram's creation is in full seconds.
const CLOCK_STEP = 1000;
// Milliseconds of a day: browsers limit the length of timers.
const LONGEST_WAIT = 86_400_000;

/**
 * Events: `diagrams` (detail: `{changed, removed, box}`), `costs` (detail: the diagrams whose figures changed), `selection`, `designs`,
 * `activities`, `about`, `state`, `comments` (detail:
 * the diagrams with another number of open threads), `vote`, `negotiation`, `ended` (detail: `{reason}`), and after reading everything again, `reread`.
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
    /** Its tag, such as `pt-BR`; empty if not set. */
    this.language = "";
    this.description = "";
    this.land = new Land(this);
    /** True if the caller is a member; guests only read. */
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
    /** @type {import("./comments.js").Comment[]} the oldest first */
    this.comments = [];
    /** @type {Set<string>} the members, without those whose names the caller may not see */
    this.people = new Set();
    /** @type {Map<number, import("./comments.js").Comment[]>} the first comments of open threads by diagram */
    this.openThreads = new Map();
    /** @type {Record<string, Activity>} */
    this.activities = {};
    /** True while members see only their own votes. */
    this.votesHidden = false;
    /** True if members see what others are drawing. */
    this.drawingsShown = false;
    /** @type {Present[]} the first to come first */
    this.here = [];
    /** True if the project counts only land inside its study area. */
    this.isInsideWanted = false;
    /** True if the diagrams have more corners than the service cuts at the study area, so that all land counts. */
    this.isTooMuchToCut = false;
    /** True if the caller runs the workshop. */
    this.isAdministrator = isAdministrator;
    /** True if the service says that the caller administers the project, and may change diagrams of others. */
    this.administers = false;
    /** @type {any} */
    this.boundaries = null;
    /** @type {any} */
    this.constraints = null;
    /** @type {any} */
    this.context = null;
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
    /** The project's version at the last read; `isFollowing` is true if its events have been followed since. */
    this.changeid = "";
    this.isFollowing = false;
    this.closingTimer = 0;
    this.costsTook = 0;
    /** Number of requests for costs, and the number of the last one whose response was used: responses may come in another order. */
    this.costsAsked = 0;
    this.costsNoted = 0;
    this.again = new RepeatedReads();
    /** @type {Set<number>} diagrams that changed and are not read yet */
    this.stale = new Set();
    /** @type {Set<number>} diagrams with events while everything was read: the data read may be older */
    this.touched = new Set();
    /** The highest id read so far: a diagram that appears with a lower one was restored. */
    this.newest = 0;
    /** Time of the last complete read, by the service's clock. */
    this.readAt = 0;
    /** @type {Set<number>} diagrams that are no more, though an answer about them may be on its way */
    this.gone = new Set();
    this.stop = () => {};
    /** @type {Promise<void>} */
    this.opening = Promise.resolve();
  }

  /** True while changes arrive. */
  get isCurrent() {
    return this.arrival === "streams" || this.arrival === "asks";
  }

  /** @param {string} name @param {any} [detail] */
  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /** Reads everything, and follows changes. */
  async open() {
    // Before the first read, so that no change is missed.
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
    // First, so that the rest is not older.
    this.changeid = (await service.get(`${path}changeid/`)).changeid;
    this.readAt = service.now();
    const [info, members, systems, summaries, diagrams, tags, boundaries, constraints, context, bounds] = await Promise.all([
      service.get(path),
      service.get(`${path}members/`).catch(unlessRefused(null)),
      service.list(`${path}systems/`),
      service.list(`${path}diagrams/`),
      service.get(`${path}diagrams/all/`),
      service.list(`${path}tags/`),
      service.get(`${path}boundaries/`),
      service.get(`${path}constraints/`),
      // Other services have none.
      service.get(`${path}context/`).catch(unlessRefused({ geojson: { type: "FeatureCollection", features: [] } })),
      service.get(`${path}bounds/`),
      this.readLayers(),
      this.readActivities(),
      this.readDesigns(),
      this.readComments(),
    ]);
    this.title = String(info.projecttitle ?? "");
    setCurrency(String(info.currency ?? ""));
    this.language = String(info.language ?? "");
    this.description = String(info.projectdesc ?? "");
    this.people = new Set(members?.members.map((/** @type {any} */ { username }) => username));
    this.isInsideWanted = info.counted_land === "inside";
    this.isTooMuchToCut = false;
    this.isMember = this.people.has(this.me);
    this.systems = systems.map((system) => ({
      id: system.id, name: system.name ?? system.sysname, color: system.color ?? system.syscolor,
      description: system.verbose_description ?? "", rate: system.cost ?? system.syscost ?? null, impacts: system.impacts ?? {},
    }));
    this.tags = tags.map(({ id, tag, code }) => ({ id, name: tag, code }));
    this.boundaries = boundaries.geojson;
    this.constraints = constraints.geojson;
    this.context = context.geojson;
    this.bounds = String(bounds.bounds).split(",").map(Number);
    if (this.bounds[2] - this.bounds[0] >= 360) this.bounds = boundsOf(this.boundaries) ?? this.bounds;
    const authors = new Map(summaries.map(({ id, author }) => [id, author]));
    this.diagrams = new Map(diagrams.map((/** @type {any} */ row) => [row.id, diagramOf(row, authors.get(row.id))]));
    this.newest = Math.max(this.newest, ...this.diagrams.keys());
    for (const id of [...this.touched]) this.readSoon(id);
    await Promise.all([this.readChosen(), this.readCosts()]);
  }

  async readLayers() {
    this.layers = await this.service.list(`${this.path}data_layers/`);
  }

  async readComments() {
    // Other services have none.
    this.comments = (await this.service.get(`${this.path}comments/`).catch(unlessRefused({ comments: [] }))).comments;
    const before = this.openThreads;
    this.openThreads = new Map();
    for (const comment of this.comments) {
      const { diagram, reply_to, resolved } = comment;
      if (diagram && !reply_to && !resolved) this.openThreads.set(diagram, [...this.openThreads.get(diagram) ?? [], comment]);
    }
    const idsOf = (/** @type {import("./comments.js").Comment[] | undefined} */ threads) => threads?.map(({ id }) => id).join();
    this.tell("comments", [...new Set([...before.keys(), ...this.openThreads.keys()])].filter((id) => idsOf(before.get(id)) !== idsOf(this.openThreads.get(id))));
  }

  async readPresence() {
    // Guests may see no names, and other services have no presence.
    this.here = (await this.service.get(`${this.path}presence/`).catch(unlessRefused({ presence: [] }))).presence;
    this.tell("presence");
  }

  async readActivities() {
    // Services without it have no activities that can be closed.
    const { votes_hidden: hidden = false, drawings_shown: shown = false, ...activities } = (await this.service.get(`${this.path}activities/`).catch(unlessRefused({}))) || {};
    this.votesHidden = hidden;
    this.drawingsShown = shown;
    this.activities = activities;
    this.tell("activities");
    // An activity with a closing time closes then, without an event.
    clearTimeout(this.closingTimer);
    const ends = Object.values(this.activities).flatMap(({ closes_at }) => (closes_at ? [timeOf(closes_at).getTime() - this.service.now()] : []));
    const next = Math.min(...ends.filter((wait) => wait > 0), LONGEST_WAIT);
    if (next < LONGEST_WAIT) this.closingTimer = setTimeout(() => this.soon("activities", () => this.readActivities()), next + 100);
  }

  /**
   * A later time by the service's clock, as on the wire. This machine's clock may be wrong, and corrected while the page is
   * open, so the service is asked again.
   * @param {number} milliseconds
   */
  async timeIn(milliseconds) {
    await this.service.get(`${this.path}changeid/`);
    return new Date(this.service.now() + milliseconds).toISOString();
  }

  /** Whether members may do this now, and the administrator's message about it. @param {"drawing" | "selecting" | "designing" | "commenting"} what */
  mayDo(what) {
    const { open = true, closes_at = null, message = "" } = this.activities[what] || {};
    return { isOpen: open && (closes_at === null || timeOf(closes_at).getTime() > this.service.now()), message };
  }

  async readChosen() {
    if (this.isMember) await this.readSelection();
    await this.readMembers();
  }

  async readSelection() {
    this.selection = new Set(await this.selectionOf(this.me));
    this.tell("selection");
  }

  async readDesigns() {
    const teams = await this.service.list(`${this.path}cteams/`);
    const lists = await Promise.all(teams.map(({ id }) => this.service.get(`${this.path}cteams/${id}/`)));
    // Guests may get no names.
    const members = await Promise.all(teams.map(({ id }) => this.service.get(`${this.path}cteams/${id}/members/`).catch(unlessRefused({ members: [] }))));
    this.teams = teams.map(({ id, title, color }, place) => ({ id, title: title ?? "", color, members: members[place].members }));
    this.designs = teams.flatMap(({ id: teamid, title: team }, place) =>
      lists[place].synthesis.map((/** @type {any} */ { id, description, creationdate }) =>
        ({ id, teamid, team: team ?? "", title: description ?? "", created: creationdate ?? "" })));
    const { about } = this;
    if (about.kind === "design") {
      const design = this.designs.find(({ id, teamid }) => id === about.design.id && teamid === about.design.teamid);
      // The same object: responses about it may be on their way.
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

  /** Reads the diagrams of the current subject. */
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

  /** The teams for which the caller can save designs. */
  ownTeams() {
    return this.teams.filter(({ members }) => this.isAdministrator || members.includes(this.me));
  }

  /** The diagrams of a design. @param {Design} design @returns {Promise<number[]>} */
  async diagramsOf({ teamid, id }) {
    const found = await this.service.get(`${this.path}cteams/${teamid}/${id}/diagrams/`);
    return Array.isArray(found) ? found : found.diagrams;
  }

  /** A member's choice. @param {string} name @returns {Promise<number[]>} */
  async selectionOf(name) {
    const found = await this.service.get(`${this.path}members/${encodeURIComponent(name)}/diagrams/`);
    return [...new Set(found.features.map((/** @type {any} */ feature) => Number(feature.properties.diagramid)))];
  }

  /** Replaces the caller's choice. @param {number[]} ids */
  async chooseAll(ids) {
    const before = [...this.selection];
    await this.service.send("PUT", `${this.path}members/${encodeURIComponent(this.me)}/diagrams/`, { diagrams: ids });
    this.selection = new Set(ids);
    this.tell("selection");
    this.tell("did", { what: "chooseAll", title: "", undo: () => this.chooseAll(before), redo: () => this.chooseAll(ids) });
    if (this.about.kind === "selection") await this.setAbout(this.about);
  }

  /**
   * Saves a design of a team.
   * @param {number} teamid @param {string} title @param {number[]} diagrams @param {string} key by which the service recognises the request
   * @returns {Promise<Design>}
   */
  async saveDesign(teamid, title, diagrams, key) {
    const { body } = await this.service.send("POST", `${this.path}cteams/${teamid}/`, { description: title, diagrams }, { "Idempotency-Key": key });
    await this.readDesigns();
    let saved = this.designs.find(({ id }) => id === body.id);
    if (!saved) throw new Refused(404, body.id);
    this.tell("did", { what: "save", title,
      undo: async () => {
        await this.service.send("DELETE", `${this.path}cteams/${teamid}/${saved?.id}/`);
        await this.readDesigns();
      },
      redo: async () => (saved = await this.saveDesign(teamid, title, diagrams, randomId())),
    });
    return saved;
  }

  /** Withdraws a diagram. @param {number} id */
  async withdraw(id) {
    this.stale.delete(id);
    await this.service.send("DELETE", `${this.path}diagrams/${id}/`);
    this.forget(id);
  }

  /** True if the study area has an outline. */
  get hasStudyArea() {
    return Boolean(this.boundaries?.features.some((/** @type {any} */ { geometry }) => geometry?.type.endsWith("Polygon")));
  }

  /** True if only land inside the study area counts. */
  get countsInside() {
    return this.isInsideWanted && this.hasStudyArea && !this.isTooMuchToCut;
  }

  /** Sets for everybody which land counts. @param {boolean} isInside */
  async countInside(isInside) {
    await this.service.send("PATCH", this.path, { counted_land: isInside ? "inside" : "all" });
    this.isInsideWanted = isInside;
    this.isTooMuchToCut = false;
    this.land.forget();
    await this.readCosts();
  }

  /** The costs of the project, or of a part of it. @param {string} [part] its path @returns {Promise<Costs>} */
  async costsOf(part = "") {
    const path = `${this.path}${part}costs/`;
    if (!this.countsInside) return this.service.get(path);
    try {
      return await this.service.get(`${path}?land=inside`);
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 400) throw error;
      this.isTooMuchToCut = true;
      this.land.forget();
      return this.service.get(path);
    }
  }

  /** The costs of a design. @param {Design} design */
  costsOfDesign({ teamid, id }) {
    return this.costsOf(`cteams/${teamid}/${id}/`);
  }

  /** The costs of the caller's choice. */
  costsOfChoice() {
    return this.costsOf(`members/${encodeURIComponent(this.me)}/`);
  }

  async readCosts() {
    const begun = performance.now();
    const { about } = this;
    const turn = (this.costsAsked += 1);
    const { countsInside } = this;
    const costs = await (about.kind === "design" ? this.costsOfDesign(about.design) : about.kind === "selection" ? this.costsOfChoice() : this.costsOf());
    // The table has the figures of all diagrams.
    const all = about.kind === "project" ? costs : await this.costsOf();
    this.costsTook = performance.now() - begun;
    // A part of the diagrams may be cut where all of them are too many.
    if (countsInside !== this.countsInside) return void await this.readCosts();
    if (about !== this.about || turn < this.costsNoted) return;
    this.costsNoted = turn;
    this.costs = costs;
    this.tell("costs", this.noteFigures(all));
  }

  /** @param {Costs} costs @returns {number[]} the diagrams whose figures changed */
  noteFigures({ diagrams }) {
    const changed = [];
    for (const { diagramid: id, cost, area_ha: area, length_km: length, pieces, quantities, cost_problem, geometry_problem, ...row } of diagrams) {
      const floor = (row.floor_above_m2 ?? 0) + (row.floor_below_m2 ?? 0);
      const known = this.figures.get(id);
      if (known && known.cost === cost && known.area === area && known.length === length && known.pieces === pieces
        && known.floor === floor && JSON.stringify(known.quantities) === JSON.stringify(quantities)) continue;
      this.figures.set(id, { cost, area, length, pieces, floor, quantities, problem: cost_problem ?? geometry_problem });
      changed.push(id);
    }
    return changed;
  }

  /** Schedules a request for the costs. */
  costsSoon() {
    this.soon("costs", () => this.readCosts(), () => COSTS_PAUSE + COSTS_SHARE * this.costsTook);
  }

  /** @param {string} name @param {() => Promise<void>} does @param {() => number} [wait] */
  soon(name, does, wait) {
    void this.again.soon(name, does, wait);
  }

  /** Reads the diagrams and costs of the current subject. */
  async readShown() {
    await this.readMembers();
    this.costsSoon();
  }

  /** @param {import("./stream.js").ServiceEvent} event */
  hear({ event, data }) {
    switch (event) {
      case "hello":
        this.administers = data.administrator === true;
        this.soon("presence", () => this.readPresence());
        // No event reports changes between the read and the first event.
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
      case "drawing":
        this.tell(event, data);
        return;
      case "presence":
        this.soon("presence", () => this.readPresence());
        return;
      case "comment":
        this.soon("comments", () => this.readComments());
        return;
      case "activity":
        this.soon("activities", () => this.readActivities());
        return;
      case "member":
        // The name of a member who left may have been removed everywhere.
        if (data.action === "removed") this.soon("all", () => this.readEverythingAnew());
        else this.people.add(String(data.id));
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
    this.tell("reread");
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
    // A restored diagram is back in choices and designs.
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
    await this.readComments();
    await this.readShown();
  }

  /** Adds a diagram to the caller's selection, or removes it. @param {number} id @param {boolean} isChosen @param {boolean} [isNoted] as something to undo */
  async choose(id, isChosen, isNoted = true) {
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
    if (isNoted) this.tell("did", { what: isChosen ? "choose" : "unchoose", title: this.diagrams.get(id)?.title ?? "",
      undo: () => this.choose(id, !isChosen), redo: () => this.choose(id, isChosen) });
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
 * Returns a function that replaces a refusal by a value, and throws everything else.
 * @template T
 * @param {T} value
 */
function unlessRefused(value) {
  return (/** @type {unknown} */ error) => {
    if (error instanceof Unreachable || !(error instanceof Refused)) throw error;
    return value;
  };
}

/** West, south, east and north of features; null if there are none. @param {any} collection GeoJSON */
function boundsOf(collection) {
  const positions = (/** @type {any} */ nested) => (typeof nested[0] === "number" ? [nested] : nested.flatMap(positions));
  const all = (collection?.features ?? []).flatMap((/** @type {any} */ { geometry }) => positions(geometry?.coordinates ?? []));
  if (!all.length) return null;
  const [lons, lats] = [0, 1].map((place) => all.map((/** @type {number[]} */ position) => position[place]));
  const least = (/** @type {number[]} */ numbers) => numbers.reduce((one, other) => Math.min(one, other));
  const most = (/** @type {number[]} */ numbers) => numbers.reduce((one, other) => Math.max(one, other));
  return [least(lons), least(lats), most(lons), most(lats)];
}
