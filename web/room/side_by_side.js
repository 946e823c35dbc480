// The latest designs of all teams side by side: maps, costs, targets, and the agreement of each pair.

import { button, element, swatch } from "../map/elements.js";
import { MapOfScene } from "../map/map.js";
import { collisionsBetween } from "./collisions.js";
import { figuresOf, figuresText, metBy } from "./design_figures.js";
import { openFull } from "./full_dialog.js";
import { exactMoney, hectares, labelled, percent, t } from "./texts.js";

/** @import { Project, Design } from "./project.js" */
/** @import { RoomMap } from "./room_map.js" */
/** @import { DesignFigures } from "./design_figures.js" */

/**
 * The Jaccard index: diagrams in both designs, divided by diagrams in at least one (Jaccard 1912, doi 10.1111/j.1469-8137.1912.tb05611.x).
 * @param {number[]} a @param {number[]} b @returns {number | null} from 0 to 1; null where neither has a diagram
 */
export function agreementOf(a, b) {
  const either = new Set([...a, ...b]);
  const inB = new Set(b);
  return either.size ? new Set(a.filter((id) => inB.has(id))).size / either.size : null;
}

/**
 * @param {Project} project @param {RoomMap} room
 * @param {{compare: (a: Design, b: Design) => void, again: () => void}} actions
 */
export async function openSideBySide(project, room, actions) {
  const designs = project.latestDesigns();
  const figures = await Promise.all(designs.map((design) => figuresOf(project, design)));
  const views = element("div", { className: "views" });
  const news = element("p", { className: "buttons", role: "status" });
  const tables = element("div", { className: "page tables" }, figuresTable(project, figures));
  const { dialog, closing } = openFull("sides", t("sideBySide"), [views, news, tables]);
  const scene = room.newScene();
  scene.shown.evaluation = -1;
  const map = new MapOfScene(views, scene, figures.map((one) => ({ title: labelled(one.design.team, one.design.title), facts: figuresText(one), members: one.ids })), { host: dialog, texts: room.map.texts });
  room.dark.addEventListener("change", () => map.lookAnew(), { signal: closing });
  closing.addEventListener("abort", () => map.remove());
  // Changes do not interrupt a member who looks at a map.
  project.addEventListener("designs", () => {
    if (project.latestDesigns().map(({ id }) => id).join() === designs.map(({ id }) => id).join()) return;
    news.replaceChildren(t("newerDesigns"), button(t("show"), () => {
      dialog.close();
      actions.again();
    }));
  }, { signal: closing });
  const matrix = await matrixOf(project, figures, actions.compare);
  if (!closing.aborted) tables.prepend(matrix);
}

/**
 * Agreement of each two designs, and the number of their collisions.
 * @param {Project} project @param {DesignFigures[]} figures @param {(a: Design, b: Design) => void} compare
 */
async function matrixOf(project, figures, compare) {
  /** @type {Map<string, number>} */
  const between = new Map();
  for (const [place, a] of figures.entries()) {
    for (const b of figures.slice(place + 1)) {
      const count = (await collisionsBetween(project, a.ids, b.ids))?.length ?? 0;
      between.set(`${a.design.id} ${b.design.id}`, count);
      between.set(`${b.design.id} ${a.design.id}`, count);
    }
  }
  const rows = figures.map((a) => element("tr", {}, element("th", { scope: "row", className: "text" }, a.design.team || t("team")), ...figures.map((b) => {
    if (a === b) return element("td", { className: "same" }, "–");
    const share = agreementOf(a.ids, b.ids);
    const count = between.get(`${a.design.id} ${b.design.id}`) ?? 0;
    const text = `${share === null ? "–" : percent(share)} · ${t("collisionsHere", { count })}`;
    const cell = element("td", {}, button(text, () => compare(a.design, b.design),
      { ariaLabel: labelled(t("compareTeams", { a: a.design.team, b: b.design.team }), text) }));
    cell.style.setProperty("--share", `${(share ?? 0) * 45}%`);
    cell.dataset.agreement = String(share);
    cell.dataset.collisions = String(count);
    return cell;
  })));
  return element("section", {}, element("h2", {}, t("agreementOfTeams")), element("div", { className: "across", tabIndex: 0, role: "region", ariaLabel: t("agreementOfTeams") }, element("table", { className: "matrix" },
    element("caption", {}, t("agreementNote")),
    element("thead", {}, element("tr", {}, element("th", { scope: "col", className: "text" }, t("team")), ...figures.map(({ design }) => element("th", { scope: "col" }, design.team || t("team"))))),
    element("tbody", {}, ...rows))));
}

/** Cost and land of each design, system by system. @param {Project} project @param {DesignFigures[]} figures */
function figuresTable(project, figures) {
  const rowOf = (/** @type {DesignFigures} */ { costs }, /** @type {number} */ sysid) => costs.systems.find((row) => row.sysid === sysid) ?? {};
  const rows = project.systems.map(({ id, name, color }) => element("tr", {}, element("th", { scope: "row", className: "text" }, swatch(color), name), ...figures.map((one) => {
    const row = rowOf(one, id);
    const { cost, budget, budget_met: isKept, area_ha: area, target_ha: target, target_met: isMet, unpriced } = row;
    const notes = [unpriced && t("unpriced", { count: unpriced }), budget && (isKept === false ? t("isOverBudget") : isKept ? t("keepsBudget") : !unpriced && "–"),
      area > 0 && hectares(area), target && typeof isMet === "boolean" && t(isMet ? "meetsTarget" : "missesTarget")].filter(Boolean).join(" · ");
    return element("td", {}, element("span", { className: "figure" }, cost === null || cost === undefined ? t("noCost") : exactMoney(cost)), " ", element("span", { className: isKept === false ? "over" : "quiet" }, notes));
  })));
  const totals = figures.map(({ costs, collisions }) => {
    const cell = element("td", {}, element("span", { className: "figure" }, costs.total === null ? t("noCost") : exactMoney(costs.total)), " ",
      element("span", { className: "quiet" }, [...metBy(costs), t("collisionsHere", { count: collisions.length })].join(" · ")));
    cell.dataset.cost = String(costs.total);
    return cell;
  });
  return element("section", {}, element("h2", {}, t("costs")), element("div", { className: "across", tabIndex: 0, role: "region", ariaLabel: t("costsOf", { title: t("sideBySide") }) }, element("table", { className: "sums" }, element("caption", { className: "unseen" }, t("costsOf", { title: t("sideBySide") })),
    element("thead", {}, element("tr", {}, element("th", { scope: "col", className: "text" }, t("system")), ...figures.map(({ design }) => element("th", { scope: "col" }, labelled(design.team, design.title))))),
    element("tbody", {}, ...rows), element("tfoot", {}, element("tr", {}, element("th", { scope: "row", className: "text" }, t("total")), ...totals)))));
}
