// Reviews: threads whose first comment asks members to look at a diagram or a design. A review is done once its thread is resolved.

import { button, element } from "../map/elements.js";
import { labelled, listed, t } from "./texts.js";

/** @import { Project, Design } from "./project.js" */
/** @import { Comment } from "./comments.js" */

/** True for an open review that waits for the caller. @param {Project} project @param {Comment} first */
export function isAskedOfYou({ me, isMember }, { review, resolved, author, asked }) {
  return Boolean(isMember && review && !resolved && author !== me && (!asked.length || asked.includes(me)));
}

/** What marks a diagram or a design whose review waits for the caller. @param {Project} project @param {Comment[]} threads */
export function reviewMark(project, threads) {
  return threads.some((thread) => isAskedOfYou(project, thread)) ? t("askedOfYou") : "";
}

/** True if the caller may resolve and reopen a thread: a review that names members is for them and its author. @param {Project} project @param {Comment} first */
export function mayResolve({ me, isAdministrator, administers }, { review, author, asked }) {
  return !review || !asked.length || author === me || asked.includes(me) || isAdministrator || administers;
}

/** The members who are asked, if the caller may know them. @param {Comment} first */
export function reviewText({ asked }) {
  return asked.length ? t("reviewAskedOf", { names: listed(asked) }) : t("reviewAsked");
}

/** A field with the other members to ask. @param {Project} project */
export function membersToAsk({ people, me }) {
  const boxes = [...people].filter((name) => name !== me).sort().map((name) =>
    element("label", {}, element("input", { type: "checkbox", name: "asked", value: name }), name));
  return element("fieldset", { className: "asked" }, element("legend", {}, t("membersToAsk")), ...boxes);
}

/** The open reviews that wait for the caller; hidden while there are none. */
export class AskedOfYou {
  /** @param {Project} project @param {{card: (id: number) => void, talk: (design: Design) => void}} actions */
  constructor(project, actions) {
    this.project = project;
    this.actions = actions;
    this.summary = element("summary");
    this.list = element("ul");
    this.element = element("details", { className: "reviews" }, this.summary, this.list);
    for (const name of ["comments", "diagrams", "designs", "reread"]) project.addEventListener(name, () => this.show());
    this.show();
  }

  show() {
    const { project } = this;
    const reviews = project.comments.filter((comment) => isAskedOfYou(project, comment));
    this.element.hidden = !reviews.length;
    this.summary.textContent = t("askedOfYouCount", { count: reviews.length });
    this.list.replaceChildren(...reviews.map((review) => element("li", {}, this.opener(review), element("p", {}, labelled(review.author, review.text)))));
  }

  /** The button that opens the diagram's card, or the design's threads. @param {Comment} review */
  opener({ diagram, design }) {
    const found = this.project.designs.find(({ id }) => id === design);
    const { title = "" } = found ?? this.project.diagrams.get(diagram ?? NaN) ?? {};
    return button(title || t("untitled"), () => (found ? this.actions.talk(found) : this.actions.card(Number(diagram))));
  }
}
