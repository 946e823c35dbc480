// The list of collisions.

import { button, element } from "../map/elements.js";
import { hectares, t } from "./texts.js";
import { inSteps } from "./steps.js";

/** @import { Project } from "./project.js" */
/** @import { Collision } from "./collisions.js" */

/**
 * Pairs on the same land, with a button each that shows them on the map. Rows are made when the list is opened: there may be thousands.
 * @param {Project} project @param {Collision[]} collisions @param {boolean} isOpen @param {(ids: number[]) => void} show
 */
export function collisionList({ diagrams }, collisions, isOpen, show) {
  const titleOf = (/** @type {number} */ id) => diagrams.get(id)?.title || t("untitled");
  const list = element("ul");
  const holder = element("details", { className: "collisions", open: isOpen }, element("summary", {}, t("countOfCollisions", { count: collisions.length })), list);
  const append = (/** @type {Collision} */ { one, other, hectares: land }) => {
    const row = element("li", {}, button(`${titleOf(one)} × ${titleOf(other)}`, () => show([one, other]), { title: t("showOnMap") }), " ", hectares(land));
    row.dataset.pair = `${one} ${other}`;
    row.dataset.hectares = String(land);
    list.append(row);
  };
  holder.addEventListener("toggle", () => {
    if (!holder.open || list.childElementCount) return;
    void inSteps((function* () {
      for (const collision of collisions) yield append(collision);
    })(), () => holder.isConnected);
  });
  return holder;
}
