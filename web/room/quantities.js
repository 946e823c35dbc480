// Quantities of systems, such as homes, people and jobs: amounts of a diagram, and sums of designs against their targets.

import { element } from "../map/elements.js";
import { listed, number, t } from "./texts.js";

/** @import { Costs } from "./project.js" */

/** Amounts by name; null where one is unknown. @typedef {Record<string, number | null>} Amounts */

/** An amount without more digits than it needs. @param {number} amount */
export const amountText = (amount) => number(amount, Math.abs(amount) < 10 ? 1 : 0);

/** Amounts in a line. @param {Amounts | undefined} amounts */
export const amountsText = (amounts) => listed(Object.entries(amounts ?? {}).map(([name, amount]) => `${name} ${amount === null ? "?" : amountText(amount)}`));

/** Amounts of a drawing. @param {Amounts | undefined} amounts */
export function amountsLine(amounts) {
  const text = amountsText(amounts);
  if (!text) return "";
  const line = element("p", { className: "amounts" }, text);
  line.dataset.amounts = JSON.stringify(amounts);
  return line;
}

/**
 * Sums over all systems, by name. A target is the sum of the systems' targets, and 0 without any.
 * @param {Costs} costs @returns {Map<string, {amount: number, unknown: number, target: number}>}
 */
export function sumsOf({ systems }) {
  const sums = new Map();
  for (const { quantities } of systems) {
    for (const [name, { amount, unknown, target }] of Object.entries(quantities ?? {})) {
      const sum = sums.get(name) ?? { amount: 0, unknown: 0, target: 0 };
      sums.set(name, { amount: sum.amount + amount, unknown: sum.unknown + unknown, target: sum.target + (target ?? 0) });
    }
  }
  return sums;
}

/** A table of sums against targets; empty for a project without quantities. @param {Costs} costs */
export function quantityTable(costs) {
  const rows = [...sumsOf(costs)].map(([name, { amount, unknown, target }]) => {
    const figure = element("span", { className: "figure" }, amountText(amount));
    figure.dataset.amount = String(amount);
    // Unknown amounts may be below 0.
    const isMet = amount >= target && !unknown;
    const reached = target && element("span", { className: isMet || unknown ? "quiet" : "over" }, ` ${t(isMet ? "targetMet" : "ofTarget", { target: amountText(target) })}`);
    return element("tr", {}, element("th", { scope: "row", className: "text" }, name),
      element("td", {}, figure, reached || "", unknown ? element("span", { className: "trouble" }, ` ${t("amountUnknown", { count: unknown })}`) : ""));
  });
  return rows.length ? element("table", { className: "quantities" }, element("caption", {}, t("quantities")), element("tbody", {}, ...rows)) : "";
}

/**
 * Sums as the service would send them, from the amounts of diagrams.
 * @param {Record<string, any> | undefined} quantities of the system, as the service sent them @param {(Amounts | undefined)[]} amounts of its diagrams
 */
export function expectedSums(quantities, amounts) {
  return quantities && Object.fromEntries(Object.entries(quantities).map(([name, { target }]) => {
    const own = amounts.map((of) => of?.[name]).filter((amount) => amount !== undefined);
    const amount = own.reduce((/** @type {number} */ all, one) => all + (one ?? 0), 0);
    const unknown = own.filter((one) => one === null).length;
    return [name, { amount, unknown, target, target_met: target && !unknown ? amount >= target : null }];
  }));
}
