// On which classes of the evaluation map of their system diagrams lie.

import { fromGeometry } from "../map/world.js";
import { sharedLand } from "./land.js";
import { inSteps } from "./work.js";

/** @import { Project } from "./project.js" */
/** @import { Diagram } from "./diagram.js" */
/** @import { Shape } from "../map/world.js" */

/** Classes, from where change is least wanted to where it is most. */
export const CLASSES = /** @type {const} */ (["red", "red2", "yellow", "green", "green2", "green3"]);

/** @typedef {Map<string, number>} Classes hectares by class; "" is land without a class */

export class Suitability {
  /** @param {Project} project */
  constructor(project) {
    this.project = project;
    /** @type {Map<number, Promise<Map<string, Shape[]>>>} evaluation maps, by system */
    this.maps = new Map();
    /** @type {WeakMap<Diagram, Classes>} */
    this.known = new WeakMap();
    project.addEventListener("anew", () => {
      this.maps.clear();
      this.known = new WeakMap();
    });
  }

  /** The areas of each class in a system. @param {number} sysid */
  mapOf(sysid) {
    const reading = this.maps.get(sysid) ?? this.project.evaluation(sysid).then(({ features }) => {
      /** @type {Map<string, Shape[]>} */
      const found = new Map();
      for (const { properties, geometry } of features) {
        const name = properties.areatype ?? "";
        found.set(name, [...(found.get(name) ?? []), ...fromGeometry(geometry)]);
      }
      return found;
    });
    this.maps.set(sysid, reading);
    // What could not be read is asked for again.
    reading.catch(() => this.maps.delete(sysid));
    return reading;
  }

  /**
   * Hectares by class for each system that has a map, summed over diagrams as the costs sum their land. Lines have no land.
   * @param {Iterable<number>} ids @param {() => boolean} isWanted
   * @returns {Promise<Map<number, Classes | null> | null>} null for a system whose map could not be read, and null if it is not wanted any more
   */
  async of(ids, isWanted) {
    const diagrams = [...ids].flatMap((id) => this.project.diagrams.get(id) ?? []);
    const sysids = [...new Set(diagrams.map(({ sysid }) => sysid))];
    const read = await Promise.all(sysids.map((sysid) => this.mapOf(sysid).catch(() => null)));
    const maps = new Map(sysids.map((sysid, place) => [sysid, read[place]]));
    if (!isWanted()) return null;
    const done = await inSteps(this.each(diagrams, maps), isWanted);
    if (!done) return null;
    /** @type {Map<number, Classes | null>} */
    const sums = new Map(sysids.flatMap((sysid) => (maps.get(sysid) ? [] : [[sysid, null]])));
    for (const diagram of diagrams) {
      const own = this.known.get(diagram);
      if (!own || !maps.get(diagram.sysid)?.size) continue;
      const sum = sums.get(diagram.sysid) ?? new Map();
      sums.set(diagram.sysid, sum);
      for (const [name, hectares] of own) sum.set(name, (sum.get(name) ?? 0) + hectares);
    }
    return sums;
  }

  /** @param {Diagram[]} diagrams @param {Map<number, Map<string, Shape[]> | null>} maps */
  *each(diagrams, maps) {
    for (const diagram of diagrams) {
      const map = maps.get(diagram.sysid);
      if (!map || this.known.has(diagram)) continue;
      /** @type {Classes} */
      const own = new Map();
      for (const [name, shapes] of map) {
        own.set(name, sharedLand(diagram.shapes, shapes) / 10_000);
        yield;
      }
      const classified = [...own.values()].reduce((all, hectares) => all + hectares, 0);
      const rest = sharedLand(diagram.shapes, diagram.shapes) / 10_000 - classified;
      // Less than this is rounding.
      if (rest > 0.0001) own.set("", rest);
      this.known.set(diagram, own);
    }
  }
}
