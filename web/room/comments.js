// Threads of comments: a first comment and its replies, about a diagram, a design or a place.

import { button, element } from "../map/elements.js";
import { iconButton } from "../map/icons.js";
import { ask } from "./ask.js";
import { reasonOf } from "./reasons.js";
import { mayResolve, membersToAsk, reviewText } from "./reviews.js";
import { moment, t } from "./texts.js";

/** @import { Project } from "./project.js" */
/** @import { Outbox } from "./outbox.js" */

/**
 * @typedef {object} Comment
 * @property {string} id
 * @property {string} author
 * @property {string} text
 * @property {string} created_at
 * @property {number | null} diagram
 * @property {string | null} design
 * @property {[number, number] | null} place longitude and latitude
 * @property {string | null} reply_to the first comment of its thread
 * @property {boolean} resolved
 * @property {string | null} resolved_by
 * @property {boolean} review true if the thread asks for a review
 * @property {string[]} asked members who are asked; empty for all
 */

/** What threads are about: one of these, `thread` for one thread alone. @typedef {{diagram?: number, design?: string, place?: [number, number], thread?: string}} Subject */

/** The first comments about something. @param {Project} project @param {Subject} about @returns {Comment[]} */
export function threadsAbout({ comments }, { diagram, design, thread }) {
  return comments.filter((comment) => !comment.reply_to
    && (thread ? comment.id === thread : diagram !== undefined ? comment.diagram === diagram : comment.design === design));
}

/** The heading of threads, with the number of open ones. @param {Project} project @param {Subject} about */
export function commentsTitle(project, about) {
  const open = threadsAbout(project, about).filter(({ resolved }) => !resolved).length;
  return open ? t("commentsOpen", { count: open }) : t("comments");
}

/** Threads about something, with fields to write. They follow the project until `closing` is aborted. */
export class Threads {
  /** @param {Project} project @param {Outbox} outbox @param {Subject} about @param {AbortSignal} closing */
  constructor(project, outbox, about, closing) {
    this.project = project;
    this.outbox = outbox;
    this.about = about;
    this.title = element("h3");
    this.list = element("ul", { className: "threads" });
    this.resolved = element("details", {}, element("summary"), element("ul", { className: "threads" }));
    this.trouble = element("p", { className: "trouble", role: "alert" });
    /** @type {Map<string, HTMLElement>} the open fields for replies, by thread */
    this.replies = new Map();
    this.form = this.field(t("comment"), (text) => this.send({ text, ...about }));
    this.asking = element("details", {}, element("summary", {}, t("askForReview")));
    this.asking.addEventListener("toggle", () => this.asking.open && this.showAsking());
    this.element = element("section", { className: "talk", ariaLabel: t("comments") }, this.title, this.list, this.resolved, this.trouble, this.form, this.asking);
    for (const name of ["comments", "activities"]) project.addEventListener(name, () => this.show(), { signal: closing });
    outbox.addEventListener("change", () => this.show(), { signal: closing });
    this.show();
  }

  show() {
    const { project, about } = this;
    const focus = this.element.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement) : null;
    const threads = threadsAbout(project, about);
    const open = threads.filter(({ resolved }) => !resolved || about.thread);
    const closed = threads.filter((thread) => !open.includes(thread));
    this.title.textContent = commentsTitle(project, about);
    this.list.replaceChildren(...open.map((thread) => this.thread(thread)), ...this.waiting());
    this.form.hidden = !this.mayWrite() || Boolean(about.thread);
    this.asking.hidden = this.form.hidden || Boolean(about.place);
    this.resolved.hidden = !closed.length;
    const [summary, list] = this.resolved.children;
    summary.textContent = t("commentsResolved", { count: closed.length });
    list.replaceChildren(...closed.map((thread) => this.thread(thread)));
    focus?.focus();
  }

  /** Comments that the service has not acknowledged. @param {string} [thread] only replies to this one */
  waiting(thread) {
    const { diagram, design } = this.about;
    const isHere = (/** @type {any} */ body) => (thread ? body.reply_to === thread : !body.reply_to && (diagram ? body.diagram === diagram : design && body.design === design));
    return this.outbox.parcels().filter(({ steps: [{ body }], drawing, refusal }) => !drawing && !refusal && isHere(body)).map(({ title }) =>
      element("li", {}, element("p", { className: "said" }, title), element("span", { className: "quiet" }, t("notYetSent"))));
  }

  /** @param {Comment} first */
  thread(first) {
    const { project } = this;
    const replies = project.comments.filter(({ reply_to }) => reply_to === first.id);
    const by = first.resolved && first.resolved_by ? element("p", { className: "quiet" }, t(first.review ? "reviewedBy" : "resolvedBy", { name: first.resolved_by })) : null;
    const reply = this.replies.get(first.id);
    return element("li", {}, first.review && element("span", { className: "review" }, reviewText(first)), this.comment(first, !replies.length),
      element("ul", {}, ...replies.map((answer) => element("li", {}, this.comment(answer, true))), ...this.waiting(first.id)), by,
      this.mayWrite() && (reply ?? element("div", { className: "buttons" },
        button(t("reply"), () => this.answer(first), { ariaLabel: t("replyTo", { name: first.author }) }),
        mayResolve(project, first) && button(t(first.resolved ? "reopen" : first.review ? "reviewDone" : "resolve"), () => this.resolve(first)))));
  }

  /** @param {Comment} comment @param {boolean} isLast without replies */
  comment(comment, isLast) {
    const { project } = this;
    const isOwn = comment.author === project.me || project.isAdministrator || project.administers;
    return element("article", {}, element("b", {}, comment.author), " ", element("span", { className: "quiet" }, moment(comment.created_at)),
      isLast && isOwn && this.mayWrite() && iconButton("Trash2", t("removeComment"), () => void this.remove(comment), { className: "remove" }),
      element("p", { className: "said" }, comment.text));
  }

  mayWrite() {
    const { project } = this;
    return project.isMember && (project.mayDo("commenting").isOpen || project.isAdministrator || project.administers);
  }

  /** Opens a field for a reply. @param {Comment} first */
  answer(first) {
    const field = this.field(t("reply"), (text) => {
      this.replies.delete(first.id);
      this.send({ text, reply_to: first.id });
    });
    this.replies.set(first.id, field);
    this.show();
    field.querySelector("textarea")?.focus();
  }

  /** Puts the form of a review into its place, with those who are members now. */
  showAsking() {
    const members = membersToAsk(this.project);
    const form = this.field(t("reviewQuestion"), (text) => {
      const asked = [...members.querySelectorAll("input")].filter(({ checked }) => checked).map(({ value }) => value);
      this.asking.open = false;
      this.send({ text, review: true, asked, ...this.about });
    }, t("askForReview"));
    form.prepend(members);
    this.asking.replaceChildren(this.asking.children[0], form);
  }

  /** @param {string} name of the field @param {(text: string) => void} written @param {string} [does] what its button does */
  field(name, written, does = name) {
    const text = element("textarea", { required: true, maxLength: 2000, rows: 2, ariaLabel: name, placeholder: name });
    const form = element("form", {}, text, element("button", { type: "submit" }, does));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const said = text.value.trim();
      if (!said) return;
      text.value = "";
      written(said);
    });
    return form;
  }

  /** Adds a comment. @param {{text: string, diagram?: number, design?: string, place?: [number, number], reply_to?: string, review?: boolean, asked?: string[]}} body */
  send(body) {
    const { project, outbox } = this;
    outbox.put({ title: body.text, drawing: null, diagram: null, steps: [{ method: "POST", path: `${project.path}comments/`, body }] });
  }

  /** Resolves or reopens a thread. @param {Comment} first */
  resolve(first) {
    const { project, outbox } = this;
    const step = { method: "PATCH", path: `${project.path}comments/${first.id}/`, body: { resolved: !first.resolved } };
    outbox.put({ title: first.text, drawing: null, diagram: null, steps: [step] });
  }

  /** @param {Comment} comment */
  async remove(comment) {
    const { project } = this;
    if (!(await ask(t("removeCommentSure"), t("removeComment")))) return;
    this.trouble.textContent = "";
    try {
      await project.service.send("DELETE", `${project.path}comments/${comment.id}/`);
      await project.readComments();
    } catch (error) {
      this.trouble.textContent = reasonOf(error);
    }
  }
}
