// The service's figures for the land of diagrams: land shared by two of them, and land by class of an evaluation map.
// They are requested once per pair and per diagram; a diagram that changes is a new object.

import { Refused } from "./failures.js";

/** @import { Project } from "./project.js" */
/** @import { Diagram } from "./diagram.js" */

/** @typedef {Map<string, number>} Classes hectares by class; "" is land without a class */

/** Pairs or diagrams per request. */
const AT_ONCE = 200;
/** Hectares. Less is rounding. */
const LEAST_OUTSIDE = 0.0001;

/** The service's figures so far. */
class Known {
  /** @type {WeakMap<Diagram, WeakMap<Diagram, number>>} hectares, by the diagram with the smaller id and the other one */
  shared = new WeakMap();
  /** @type {WeakMap<Diagram, Classes | null>} null where the system has no evaluation map */
  classes = new WeakMap();
  /** @type {WeakMap<Diagram, number>} hectares outside the study area, if that has an outline */
  outside = new WeakMap();
  /** @type {WeakMap<Diagram, number>} hectares */
  areas = new WeakMap();
}

export class Land {
  /** @param {Project} project */
  constructor(project) {
    this.project = project;
    this.known = new Known();
    project.addEventListener("reread", () => this.forget());
  }

  /** Forgets all figures, after a change of maps or of the land that counts. */
  forget() {
    this.known = new Known();
  }

  /**
   * Hectares that two diagrams share; undefined before the service has sent them.
   * @param {Diagram} one @param {Diagram} other
   */
  sharedBy(one, other) {
    const [first, second] = one.id < other.id ? [one, other] : [other, one];
    return this.known.shared.get(first)?.get(second);
  }

  /**
   * Asks about pairs. Throws `Refused` or `Unreachable`.
   * @param {[Diagram, Diagram][]} pairs @param {() => boolean} isWanted false ends it
   */
  async readShared(pairs, isWanted) {
    const { shared } = this.known;
    const unknown = pairs.filter(([one, other]) => this.sharedBy(one, other) === undefined);
    await this.ask(unknown, (asked) => ({ pairs: asked.map(([one, other]) => [one.id, other.id]) }), (asked, { shared_ha: areas }) => {
      for (const [place, [one, other]] of asked.entries()) {
        const [first, second] = one.id < other.id ? [one, other] : [other, one];
        const row = shared.get(first) ?? new WeakMap();
        shared.set(first, row);
        row.set(second, areas[place]);
      }
    }, isWanted);
  }

  /**
   * Hectares by class for each system that has a map, summed over diagrams as the costs sum their land. Lines have no land. Throws `Refused`
   * or `Unreachable`.
   * @param {Iterable<number>} ids @param {() => boolean} isWanted false ends it
   */
  async inClasses(ids, isWanted) {
    const known = this.known;
    const diagrams = [...ids].flatMap((id) => this.project.diagrams.get(id) ?? []);
    await this.ask(diagrams.filter((diagram) => !known.classes.has(diagram)), (asked) => ({ classes_of: asked.map(({ id }) => id) }), (asked, { classes }) => {
      for (const [place, diagram] of asked.entries()) {
        known.classes.set(diagram, classesOf(classes[place]));
        known.areas.set(diagram, classes[place].area_ha);
        if (classes[place].outside_study_area_ha !== null) known.outside.set(diagram, classes[place].outside_study_area_ha);
      }
    }, isWanted);
    /** @type {Map<number, Classes>} */
    const sums = new Map();
    for (const diagram of diagrams) {
      const own = known.classes.get(diagram);
      if (!own) continue;
      const sum = sums.get(diagram.sysid) ?? new Map();
      sums.set(diagram.sysid, sum);
      for (const [name, hectares] of own) sum.set(name, (sum.get(name) ?? 0) + hectares);
    }
    return sums;
  }

  /** Hectares, each place once; 0 before the service has sent them. @param {Diagram} diagram */
  areaOf(diagram) {
    return this.known.areas.get(diagram) ?? 0;
  }

  /** Hectares outside the study area by system, for diagrams whose land the service has sent. @param {Iterable<number>} ids */
  outsideOf(ids) {
    /** @type {Map<number, number>} */
    const sums = new Map();
    for (const id of ids) {
      const diagram = this.project.diagrams.get(id);
      if (diagram) sums.set(diagram.sysid, (sums.get(diagram.sysid) ?? 0) + (this.known.outside.get(diagram) ?? 0));
    }
    return sums;
  }

  /**
   * @template T
   * @param {T[]} items @param {(items: T[]) => any} bodyOf @param {(items: T[], answer: any) => void} take @param {() => boolean} isWanted
   */
  async ask(items, bodyOf, take, isWanted) {
    const { service, path, countsInside } = this.project;
    const land = countsInside ? { land: "inside" } : {};
    /** @param {T[]} asked @returns {Promise<void>} */
    const about = async (asked) => {
      if (!isWanted()) return;
      try {
        const { body } = await service.send("POST", `${path}land/`, { ...bodyOf(asked), ...land });
        take(asked, body);
      } catch (error) {
        // Together they may have more vertices than the service compares at once.
        if (!(error instanceof Refused) || error.status !== 400 || asked.length === 1) throw error;
        const middle = Math.ceil(asked.length / 2);
        await about(asked.slice(0, middle));
        await about(asked.slice(middle));
      }
    };
    for (let start = 0; start < items.length; start += AT_ONCE) await about(items.slice(start, start + AT_ONCE));
  }
}

/** @param {{evaluation: {areatype: string, area_ha: number}[] | null, outside_ha: number | null}} land @returns {Classes | null} */
function classesOf({ evaluation, outside_ha: outside }) {
  if (!evaluation) return null;
  const classes = new Map(evaluation.map(({ areatype, area_ha: area }) => [areatype, area]));
  if (outside !== null && outside > LEAST_OUTSIDE) classes.set("", outside);
  return classes;
}
