// Collisions: pairs of projects that claim the same land, in a set of diagrams or between two designs. Policies and lines claim none.
// These are the pairs of `comparison.conflicts(by="diagrams")` in Python.

/** @import { Diagram } from "./diagram.js" */
/** @import { Project } from "./project.js" */
/** @import { Box } from "../map/world.js" */

/** @typedef {{one: number, other: number, hectares: number}} Collision */

/** Share of a box's sides by which geodesic edges of its land may go beyond it. */
const BEYOND = 0.03;

/** @param {Box} box @returns {Box} */
function widened({ west, north, east, south }) {
  const [beside, above] = [(east - west) * BEYOND, (south - north) * BEYOND];
  const most = Math.max(beside, above);
  return { west: west - most, east: east + most, north: north - most, south: south + most };
}

/** The diagrams that claim land, from west to east. @param {Map<number, Diagram>} diagrams @param {Iterable<number>} ids */
function claiming(diagrams, ids) {
  /** @type {{diagram: Diagram, box: Box}[]} */
  const found = [];
  for (const id of new Set(ids)) {
    const diagram = diagrams.get(id);
    if (diagram?.box && !diagram.policy && diagram.shapes.some(({ isLine, isPoint }) => !isLine && !isPoint)) found.push({ diagram, box: widened(diagram.box) });
  }
  return found.sort((a, b) => a.box.west - b.box.west);
}

/**
 * The pairs that may share land.
 * @param {Map<number, Diagram>} diagrams @param {Iterable<number>} ids
 * @param {(one: number, other: number) => boolean} counts true for a pair that is wanted
 */
function near(diagrams, ids, counts) {
  /** @type {[Diagram, Diagram][]} */
  const pairs = [];
  const list = claiming(diagrams, ids);
  for (let first = 0; first < list.length; first += 1) {
    const { diagram: one, box } = list[first];
    for (let second = first + 1; second < list.length && list[second].box.west < box.east; second += 1) {
      const { diagram: other, box: its } = list[second];
      if (its.north < box.south && its.south > box.north && counts(one.id, other.id)) pairs.push(one.id < other.id ? [one, other] : [other, one]);
    }
  }
  return pairs;
}

/**
 * The pairs that share land, the largest first; null if they are no longer wanted. Throws `Refused` or `Unreachable`.
 * @param {Project} project @param {[Diagram, Diagram][]} pairs @param {() => boolean} isWanted
 */
async function colliding({ land }, pairs, isWanted) {
  await land.readShared(pairs, isWanted);
  if (!isWanted()) return null;
  const found = pairs.map(([one, other]) => ({ one: one.id, other: other.id, hectares: land.sharedBy(one, other) ?? 0 }));
  return found.filter(({ hectares }) => hectares > 0).sort((a, b) => b.hectares - a.hectares || a.one - b.one || a.other - b.other);
}

/**
 * The collisions in a set of diagrams, the largest first.
 * @param {Project} project @param {Iterable<number>} ids @param {() => boolean} [isWanted]
 */
export const collisionsIn = (project, ids, isWanted = () => true) => colliding(project, near(project.diagrams, ids, () => true), isWanted);

/**
 * Pairs of a diagram of one design and another diagram of the other on the same land, the largest first. A diagram of both designs counts, too.
 * @param {Project} project @param {Iterable<number>} a @param {Iterable<number>} b @param {() => boolean} [isWanted]
 */
export function collisionsBetween(project, a, b, isWanted = () => true) {
  const [inA, inB] = [new Set(a), new Set(b)];
  const counts = (/** @type {number} */ one, /** @type {number} */ other) => (inA.has(one) && inB.has(other)) || (inA.has(other) && inB.has(one));
  return colliding(project, near(project.diagrams, [...inA, ...inB], counts), isWanted);
}
