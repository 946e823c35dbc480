// A map's content: systems, their diagrams and the land around them, and which of these are switched on.

import { shortestSpan } from "./world.js";

/** @import { Shape } from "./world.js" */

/**
 * @typedef {object} System
 * @property {string} name
 * @property {string} color
 * @property {string} pattern lines that lie on the colour, as the data of an SVG path; empty for none
 * @property {string} [count] text after the name in the legend
 */

/**
 * @typedef {object} Diagram
 * @property {number | null} id
 * @property {number} system its place in the list of systems
 * @property {boolean} policy
 * @property {string} title
 * @property {string[]} facts short lines of the tooltip
 */

/** @typedef {Shape & {number: number, diagram: Diagram}} DiagramShape */
/** @typedef {{name: string, classes: {name: string, color: string}[], shapes: (Shape & {kind: number, why?: string})[]}} Evaluation */
/** @typedef {{url?: string, tiles?: Record<string, string>, vector?: boolean, min_zoom?: number, max_zoom?: number}} Basemap */

/** How strongly an evaluation map is drawn below diagrams, from 0 to 1. */
const STRENGTH = 0.5;

/** What lies beneath all else, so that people know where they are. @typedef {Shape & {kind: "water" | "road" | "rail" | "park" | "district"}} ContextShape */
/** A name at a place, in world coordinates. @typedef {{name: string, x: number, y: number}} Place */

export class Scene {
  /**
   * @param {object} parts
   * @param {System[]} parts.systems
   * @param {string} [parts.legend] the heading of the systems
   * @param {"metric" | "imperial"} [parts.units]
   * @param {number} [parts.patternSize] the side of the square that a pattern repeats
   * @param {number[]} parts.bounds west, south, east, north of everything, in degrees; west may be larger than east, across the date line
   * @param {Shape[]} [parts.boundary]
   * @param {Shape[]} [parts.constraints]
   * @param {Evaluation[]} [parts.evaluations]
   * @param {Basemap | null} [parts.basemap]
   * @param {ContextShape[]} [parts.context]
   * @param {Place[]} [parts.places]
   */
  constructor({ systems, legend = "Systems", units = "metric", patternSize = 16, bounds, boundary = [], constraints = [],
    evaluations = [], basemap = null, context = [], places = [] }) {
    this.systems = systems;
    this.legend = legend;
    this.units = units;
    this.patternSize = patternSize;
    this.bounds = acrossDateLine(bounds, boundary);
    this.boundary = boundary;
    this.constraints = constraints;
    this.evaluations = evaluations;
    this.basemap = basemap;
    this.context = context;
    this.places = places;
    /** @type {Map<number, Diagram>} */
    this.diagrams = new Map();
    /** @type {DiagramShape[]} */
    this.shapes = [];
    this.shown = { systems: systems.map(() => true), projects: true, policies: true, boundary: true, constraints: true, context: true, evaluation: -1, strength: STRENGTH };
  }

  /**
   * Adds diagrams, or replaces those of the same numbers.
   * @param {Iterable<[number, Diagram, Shape[]]>} added
   */
  add(added) {
    const list = [...added];
    this.remove(list.map(([number]) => number));
    for (const [number, diagram, shapes] of list) {
      this.diagrams.set(number, diagram);
      for (const shape of shapes) this.shapes.push({ ...shape, number, diagram });
    }
    // Policies lie below projects, areas below lines, and lines below points.
    const level = (/** @type {Shape} */ { isLine, isPoint }) => Number(isLine) + 2 * Number(isPoint);
    this.shapes.sort((a, b) => Number(b.diagram.policy) - Number(a.diagram.policy) || level(a) - level(b));
  }

  /** @param {number[]} numbers */
  remove(numbers) {
    const gone = new Set(numbers.filter((number) => this.diagrams.delete(number)));
    if (gone.size) this.shapes = this.shapes.filter((shape) => !gone.has(shape.number));
  }

  /** How strongly the evaluation map is drawn: it steps back below diagrams. */
  get strength() {
    return this.shapes.length ? this.shown.strength : 1;
  }

  /**
   * True if a shape is switched on in a view of all diagrams, or of those with some numbers.
   * @param {DiagramShape} found @param {Set<number> | null} members
   */
  isShown({ number, diagram }, members) {
    return this.shown.systems[diagram.system] && (diagram.policy ? this.shown.policies : this.shown.projects) &&
      (!members || members.has(number));
  }
}

/**
 * Bounds with an east beyond 180 if the land lies on both sides of the date line: from -180 to 180, they would span the Earth.
 * @param {number[]} bounds @param {Shape[]} boundary
 */
function acrossDateLine([west, south, east, north], boundary) {
  if (west > east) return [west, south, east + 360, north];
  if (east - west <= 180 || !boundary.length) return [west, south, east, north];
  const [from, to] = shortestSpan(boundary);
  return to > 1 ? [(from - 0.5) * 360, south, (to - 0.5) * 360, north] : [west, south, east, north];
}
