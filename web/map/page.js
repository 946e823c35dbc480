// The program of a page with a map: it draws the data of the page.

import { the } from "./elements.js";
import { legend } from "./legend.js";
import { MapOfScene } from "./map.js";
import { Scene } from "./scene.js";
import { fromDeltas, shapeOf } from "./world.js";

const data = JSON.parse(the("#data").textContent || "");

/** @param {number[][]} lines @param {"area" | "line" | "point"} [kind] */
const shape = (lines, kind = "area") => shapeOf(lines.map((line) => fromDeltas(line, data.scale)), kind);
/** @param {number[][][]} list */
const polygons = (list) => list.map((rings) => shape(rings));

const scene = new Scene({
  systems: data.systems, legend: data.legend, units: data.units, patternSize: data.pattern_size, bounds: data.bounds,
  boundary: polygons(data.boundary), constraints: polygons(data.constraints), basemap: data.basemap,
  evaluations: data.evaluations.map((/** @type {any} */ map) => ({
    ...map, shapes: map.shapes.map((/** @type {[number, number[][]]} */ [kind, rings]) => ({ ...shape(rings), kind })),
  })),
});
scene.add(data.diagrams.map((/** @type {any} */ diagram, /** @type {number} */ number) => [number, diagram, [
  ...polygons(diagram.polygons), ...diagram.lines.map((/** @type {number[]} */ line) => shape([line], "line")),
  ...diagram.points.map((/** @type {number[]} */ point) => shape([point], "point")),
]]));

const panel = the(".panel");
const map = new MapOfScene(the("#views"), scene, data.views);
panel.append(...legend(scene, map.look, () => map.repaint()));
if (!panel.childElementCount) the("aside").remove();
// On a narrow screen the legend opens on request.
else if (matchMedia("(max-width: 699px)").matches) the("details").removeAttribute("open");
// For the console of the browser.
Object.assign(window, { pygeodesign: { views: map.views, shown: scene.shown, data, shapes: scene.shapes } });
