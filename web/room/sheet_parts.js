// The parts next to a sheet's map: legend and figures.

import { element, swatch } from "../map/elements.js";
import { SAMPLE, drawLook, drawSystem } from "../map/legend.js";
import { SvgPen } from "../map/svg.js";
import { diagramsOn } from "./sheet_map.js";
import { exactMoney, hectares, labelled, money, sizes, t } from "./texts.js";

/** @import { Look, Pen } from "../map/paint.js" */
/** @import { Project } from "./project.js" */
/** @import { RoomMap } from "./room_map.js" */
/** @import { Extract } from "./sheet_map.js" */

/** @param {(pen: Pen) => void} draw */
function sample(draw) {
  const pen = new SvgPen(SAMPLE, SAMPLE);
  pen.element.setAttribute("class", "swatch");
  draw(pen);
  return pen.element;
}

/**
 * A legend of only what is visible on a map.
 * @param {RoomMap} room @param {Extract} extract @param {Look} look
 */
export function legendOf(room, { box }, look) {
  const { scene } = room;
  const seen = [...diagramsOn(room, box).values()];
  const isNear = (/** @type {import("../map/world.js").Box} */ found) =>
    found.east >= box.west && found.west <= box.east && found.south >= box.north && found.north <= box.south;
  /** @param {Node} picture @param {string} name */
  const row = (picture, name) => element("li", {}, picture, element("span", {}, name));
  const rows = scene.systems.flatMap((system, place) => seen.some((diagram) => diagram.system === place)
    ? [row(sample((pen) => drawSystem(pen, system, scene.patternSize, look.ink)), system.name)] : []);
  /** @type {["projects" | "policies" | "boundary" | "constraints", boolean, string][]} */
  const others = [
    ["projects", seen.some(({ policy }) => !policy), t("projects")], ["policies", seen.some(({ policy }) => policy), t("policies")],
    ["boundary", scene.shown.boundary && scene.boundary.some(isNear), t("studyArea")],
    ["constraints", scene.shown.constraints && scene.constraints.some(isNear), t("constraints")],
  ];
  rows.push(...others.flatMap(([kind, isSeen, name]) => (isSeen ? [row(sample((pen) => drawLook(pen, kind, look.ink)), name)] : [])));
  const evaluation = scene.evaluations[scene.shown.evaluation];
  const classes = evaluation?.classes.map(({ name, color }) => row(swatch(color), name)) ?? [];
  return [element("h3", {}, t("legendOnly")), element("ul", {}, ...rows),
    ...(evaluation ? [element("h3", {}, labelled(t("evaluationMap"), evaluation.name)), element("ul", {}, ...classes)] : [])];
}

/**
 * Cost and land of everything shown, system by system.
 * @param {Project} project
 */
export function figuresOf({ costs }) {
  if (!costs) return [];
  const rows = costs.systems.map((row) => {
    const isOver = row.budget_met === false;
    const land = sizes({ area: row.area_ha, length: row.length_km, pieces: row.pieces }) || hectares(0);
    return element("tr", {}, element("th", { scope: "row", className: "text" }, swatch(row.color || "#777777"), row.name),
      element("td", {}, row.cost === null ? t("noCost") : money(row.cost)),
      element("td", { className: isOver ? "over" : "" }, row.budget ? `${isOver ? "▲\u00a0" : ""}${money(row.budget)}` : "–"),
      element("td", {}, row.current_ha ? t("andToday", { land, today: hectares(row.current_ha) }) : land),
      element("td", {}, row.target_ha ? `${row.target_met ? "✓\u00a0" : ""}${hectares(row.target_ha)}` : "–"));
  });
  const heads = [t("system"), t("cost"), t("budget"), t("land"), t("target")];
  return [element("table", {}, element("caption", {}, t("figures")),
    element("thead", {}, element("tr", {}, ...heads.map((text, place) => element("th", { scope: "col", className: place ? "" : "text" }, text)))),
    element("tbody", {}, ...rows),
    element("tfoot", {}, element("tr", { className: "total" }, element("th", { scope: "row", className: "text" }, t("total")),
      element("td", { colSpan: 4 }, costs.total === null ? t("noCost") : exactMoney(costs.total))))),
  costs.unpriced ? element("p", { className: "over" }, t("unpriced", { count: costs.unpriced })) : null,
  element("p", {}, t("landNote"))].filter((part) => part !== null);
}
