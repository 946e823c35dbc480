// Bars of costs against budgets and of land against targets, and of the classes that land lies on.

import { element } from "../map/elements.js";
import { CLASSES, classColor, classWord } from "./evaluation_classes.js";
import { exactMoney, hectares, money, percent, signed, sizes, t } from "./texts.js";

/** @import { Classes } from "./land.js" */

/** Hectares. Less is not shown. */
const LEAST_OUTSIDE = 0.05;

/**
 * A bar for the share of something that is used up.
 * @param {number} share @param {boolean} isOver @param {number} [before] the share that was shown, from which it moves
 */
function bar(share, isOver, before = share) {
  const inner = element("i");
  const width = (/** @type {number} */ of) => `${Math.max(0, Math.min(1, of)) * 100}%`;
  inner.style.inlineSize = width(before);
  if (before !== share) requestAnimationFrame(() => requestAnimationFrame(() => (inner.style.inlineSize = width(share))));
  return element("span", { className: `meter${isOver ? " over" : ""}`, ariaHidden: "true" }, inner);
}

/** Shares shown before, by subject, from which bars move. @typedef {Map<string, number>} Shares */

/** @param {Shares | undefined} shares @param {string} key @param {number} share @param {boolean} isOver */
function moved(shares, key, share, isOver) {
  const before = shares?.get(key);
  shares?.set(key, share);
  return bar(share, isOver, before);
}

/** A system's cost against its budget. @param {any} row @param {Shares} [shares] */
export function costBar({ sysid, cost, budget, budget_met: isKept }, shares) {
  const known = cost === null ? t("noCost") : exactMoney(cost);
  const shown = element("span", { className: "figure" }, known);
  shown.dataset.cost = String(cost);
  if (!budget || cost === null) return element("div", {}, shown);
  const isOver = isKept === false;
  return element("div", {}, shown, moved(shares, `cost ${sysid}`, cost / budget, isOver),
    element("span", { className: isOver ? "over" : "quiet" },
      isOver ? t("overBudget", { amount: money(cost - budget), budget: money(budget) }) : t("ofBudget", { budget: money(budget) })));
}

/**
 * A system's land against its target.
 * @param {any} row @param {Shares} [shares] @param {number} [outside] its hectares outside the study area @param {boolean} [isInside] true if these do not count
 */
export function landBar({ sysid, area_ha: area, length_km: length, pieces, current_ha: current, target_ha: target, target_met: isMet }, shares, outside = 0, isInside = false) {
  const text = sizes({ area, length, pieces }) || hectares(0);
  const shown = element("span", { className: "figure" }, target && current ? t("andToday", { land: text, today: hectares(current) }) : text);
  shown.dataset.hectares = String(area);
  if (!target) return element("div", {}, shown);
  return element("div", {}, shown, moved(shares, `land ${sysid}`, ((current || 0) + area) / target, false),
    element("span", { className: "quiet" }, isMet ? t("targetMet", { target: hectares(target) }) : t("ofTarget", { target: hectares(target) })),
    outside >= LEAST_OUTSIDE ? element("span", { className: "trouble" }, " ", t(isInside ? "landNotCounted" : "landOutside", { land: hectares(outside) })) : "");
}

/**
 * The sum of impacts on a system: to the left of the middle worse, to the right better.
 * @param {number} sum @param {number} largest of all sums, without their signs
 */
export function impactBar(sum, largest) {
  const inner = element("i");
  inner.style.inlineSize = `${largest ? (Math.abs(sum) / largest) * 50 : 0}%`;
  const shown = element("span", { className: "figure" }, `${signed(Number(sum.toPrecision(3)))} ${t(sum < 0 ? "impactWorse" : sum > 0 ? "impactBetter" : "impactNone")}`);
  shown.dataset.impact = String(sum);
  return element("div", {}, shown, element("span", { className: `meter impact ${sum < 0 ? "over" : ""}`, ariaHidden: "true" }, inner));
}

/** The shares of land by class of an evaluation map. @param {Classes | undefined} classes undefined where there is no map or no land */
export function classBar(classes) {
  const whole = [...(classes?.values() ?? [])].reduce((all, part) => all + part, 0);
  if (!classes || whole <= 0) return element("div", { className: "quiet" }, "–");
  const order = [...CLASSES, ""].filter((name) => (classes.get(name) ?? 0) > 0);
  // Classes of other maps have other names.
  order.push(...[...classes.keys()].filter((name) => name && !CLASSES.includes(name) && (classes.get(name) ?? 0) > 0));
  const share = (/** @type {string} */ name) => (classes.get(name) ?? 0) / whole;
  const parts = order.map((name) => {
    const part = element("i", { className: name ? "" : "unclassified" });
    if (name) part.style.background = classColor(name);
    part.style.inlineSize = `${share(name) * 100}%`;
    return part;
  });
  const names = order.map((name) => `${name ? classWord(name) : t("noClass")} ${percent(share(name))}`);
  const text = element("span", { className: "quiet" }, names.join(" · "));
  text.dataset.classes = JSON.stringify(Object.fromEntries(classes));
  return element("div", {}, element("span", { className: "stack", ariaHidden: "true" }, ...parts), text);
}
