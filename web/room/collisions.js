// Collisions: pairs of projects that claim the same land, in a set of diagrams or between two designs. Policies and lines claim none.
// These are the pairs of `comparison.conflicts(by="diagrams")` in Python, computed here so that they follow each switch.

import { LEAST_OVERLAP, sharedLand } from "./land.js";
import { inSteps } from "./work.js";

/** @import { Diagram } from "./diagram.js" */

/** @typedef {{one: number, other: number, hectares: number}} Collision */

/** What was computed: a diagram that changes is another object. @type {WeakMap<Diagram, WeakMap<Diagram, number>>} */
const known = new WeakMap();

/** Square metres that two diagrams share. @param {Diagram} one @param {Diagram} other */
function shared(one, other) {
  const [first, second] = one.id < other.id ? [one, other] : [other, one];
  const row = known.get(first) ?? new WeakMap();
  known.set(first, row);
  const found = row.get(second) ?? sharedLand(first.shapes, second.shapes);
  row.set(second, found);
  return found;
}

/** Those that claim land, from west to east. @param {Map<number, Diagram>} diagrams @param {Iterable<number>} ids */
function claiming(diagrams, ids) {
  /** @type {{diagram: Diagram, box: NonNullable<Diagram["box"]>}[]} */
  const found = [];
  for (const id of new Set(ids)) {
    const diagram = diagrams.get(id);
    if (diagram?.box && !diagram.policy && diagram.shapes.some(({ isLine }) => !isLine)) found.push({ diagram, box: diagram.box });
  }
  return found.sort((a, b) => a.box.west - b.box.west);
}

/**
 * @param {Map<number, Diagram>} diagrams @param {Iterable<number>} ids
 * @param {(one: number, other: number) => boolean} counts whether a pair is asked for
 * @returns {Generator<Collision | null>} a step for each pair that is compared
 */
function* pairs(diagrams, ids, counts) {
  const list = claiming(diagrams, ids);
  for (let first = 0; first < list.length; first += 1) {
    const { diagram: one, box } = list[first];
    for (let second = first + 1; second < list.length && list[second].box.west < box.east; second += 1) {
      const { diagram: other, box: its } = list[second];
      if (its.north >= box.south || its.south <= box.north || !counts(one.id, other.id)) continue;
      const area = shared(one, other);
      yield area >= LEAST_OVERLAP ? { one: Math.min(one.id, other.id), other: Math.max(one.id, other.id), hectares: area / 10_000 } : null;
    }
    yield null;
  }
}

/** @param {(Collision | null)[] | null} found */
const inOrder = (found) => found && found.flatMap((pair) => pair ?? []).sort((a, b) => b.hectares - a.hectares || a.one - b.one || a.other - b.other);

/**
 * The collisions in a set of diagrams, the largest first.
 * @param {Map<number, Diagram>} diagrams @param {Iterable<number>} ids @param {() => boolean} [isWanted]
 */
export const collisionsIn = async (diagrams, ids, isWanted) => inOrder(await inSteps(pairs(diagrams, ids, () => true), isWanted));

/**
 * Where one design has something on land on which the other has something else: also what both have, if it collides with what one of them adds.
 * @param {Map<number, Diagram>} diagrams @param {Iterable<number>} a @param {Iterable<number>} b @param {() => boolean} [isWanted]
 */
export async function collisionsBetween(diagrams, a, b, isWanted) {
  const [inA, inB] = [new Set(a), new Set(b)];
  const counts = (/** @type {number} */ one, /** @type {number} */ other) => (inA.has(one) && inB.has(other)) || (inA.has(other) && inB.has(one));
  return inOrder(await inSteps(pairs(diagrams, [...inA, ...inB], counts), isWanted));
}
