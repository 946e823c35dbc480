// Votes: members' opinions of a diagram, the caller's own vote, and the order of discussion.

import { button, element } from "../map/elements.js";
import { reasonOf } from "./reasons.js";
import { labelled, number, signed, t } from "./texts.js";

/** @import { Project } from "./project.js" */

/** @typedef {{username: string, vote: number, comment: string | null}} Vote from −2, strongly against, to 2, strongly for */
/** @typedef {Map<number, Vote[]>} Votes by diagram */

/** Order of diagrams. @typedef {"project" | "disagreed" | "supported" | "unvoted"} Order */

/** All votes; null for guests, who may not see them, and for services without votes. @param {Project} project @returns {Promise<Votes | null>} */
export async function readVotes(project) {
  let votes;
  try {
    ({ votes } = await project.service.get(`${project.path}votes/`));
  } catch {
    return null;
  }
  /** @type {Votes} */
  const found = new Map();
  for (const { diagram, ...vote } of votes) found.set(diagram, [...(found.get(diagram) ?? []), isShown(project, vote) ? vote : { ...vote, vote: 0, comment: null }]);
  return found;
}

/** False for votes of others while they are hidden: a facilitator's page, which may be on the wall, only counts them. @param {Project} project @param {Vote} vote */
const isShown = (project, { username }) => !project.votesHidden || username === project.me;

/**
 * Number of votes, their sum and their standard deviation: 0 if all are equal, 2 if one half says −2 and the other +2.
 * @param {Vote[]} [votes]
 */
export function opinionOf(votes = []) {
  const sum = votes.reduce((all, { vote }) => all + vote, 0);
  const mean = votes.length ? sum / votes.length : 0;
  const spread = votes.length ? Math.sqrt(votes.reduce((all, { vote }) => all + (vote - mean) ** 2, 0) / votes.length) : 0;
  return { count: votes.length, sum, spread };
}

/**
 * Diagrams in an order; ties stay as they are.
 * @param {number[]} ids @param {Order} order @param {Votes} votes @param {string} me whose missing votes come first
 */
export function inOrderOf(ids, order, votes, me) {
  const known = new Map(ids.map((id) => [id, opinionOf(votes.get(id))]));
  const lacks = (/** @type {number} */ id) => Number(!votes.get(id)?.some(({ username }) => username === me));
  const of = (/** @type {number} */ id) => /** @type {ReturnType<typeof opinionOf>} */ (known.get(id));
  switch (order) {
    case "disagreed": return [...ids].sort((a, b) => of(b).spread - of(a).spread || of(b).count - of(a).count);
    case "supported": return [...ids].sort((a, b) => of(b).sum - of(a).sum || of(b).count - of(a).count);
    case "unvoted": return [...ids].sort((a, b) => lacks(b) - lacks(a));
    default: return ids;
  }
}

/** Summary of a diagram's votes. @param {Project} project @param {Vote[]} [votes] */
export function opinionText(project, votes) {
  const { count, sum, spread } = opinionOf(votes);
  if (project.votesHidden) return project.administers ? t("votesCast", { count }) : t("votesHidden");
  return count ? t("opinion", { count, sum: signed(sum), spread: number(spread, 1) }) : t("noVotes");
}

/** A field for the order. @param {Order} order @param {Order[]} orders @param {(order: Order) => void} chosen */
export function orderChoice(order, orders, chosen) {
  const made = element("select", {}, ...orders.map((value) => element("option", { value }, t(`order_${value}`))));
  made.value = order;
  made.addEventListener("change", () => chosen(/** @type {Order} */ (made.value)));
  return element("label", {}, t("order"), " ", made);
}

/**
 * Members' votes on a diagram, and buttons for the caller's own vote with a comment.
 * @param {Project} project @param {number} id @param {HTMLElement} holder @param {Vote[]} here @param {() => void} changed called after the caller's own vote
 */
export function showVotes(project, id, holder, here, changed) {
  const own = here.find(({ username }) => username === project.me);
  const title = project.diagrams.get(id)?.title || t("untitled");
  const comment = element("input", { type: "text", maxLength: 200, value: own?.comment ?? "", ariaLabel: t("whyOf", { title }), placeholder: t("why") });
  const trouble = element("p", { className: "trouble", role: "alert" });
  const cast = async (/** @type {number} */ vote) => {
    const path = `${project.path}diagrams/${id}/vote/`;
    try {
      // The same vote again withdraws it, unless the comment differs.
      if (own?.vote === vote && comment.value === (own.comment ?? "")) await project.service.send("DELETE", path);
      else await project.service.send("PUT", path, { vote, comment: comment.value });
      changed();
    } catch (error) {
      trouble.textContent = reasonOf(error);
    }
  };
  const words = here.filter((row) => row.comment).map((row) => element("li", {}, labelled(`${signed(row.vote)} ${row.username}`, ""), element("q", {}, row.comment)));
  holder.replaceChildren(element("p", {}, opinionText(project, here)),
    project.isMember ? element("div", { className: "buttons", role: "group", ariaLabel: labelled(t("yourVote"), title) },
      ...[-2, -1, 0, 1, 2].map((vote) => button(signed(vote), () => void cast(vote), { "aria-pressed": String(own?.vote === vote), ariaLabel: `${t("yourVote")} ${signed(vote)}` })), comment) : "",
    trouble, element("ul", {}, ...words));
}
