// Undoing and redoing what you did in the room: choosing, drawing, changing a diagram, saving a design.

import { iconButton } from "../map/icons.js";
import { changeOf, stepsOf } from "./drawing.js";
import { Unreachable } from "./failures.js";
import { labelled, t } from "./texts.js";

/** @import { Project } from "./project.js" */
/** @import { Outbox, Parcel } from "./outbox.js" */

/**
 * Something that was done. Both ways may change what they need for the other, such as the id of a diagram.
 * @typedef {object} Step
 * @property {"choose" | "unchoose" | "chooseAll" | "draw" | "change" | "save"} what
 * @property {string} title of the diagram or the design
 * @property {() => Promise<unknown>} undo
 * @property {() => Promise<unknown>} redo
 */

const MOST = 50;

export class Undoing {
  /** @param {(error: unknown) => void} failed */
  constructor(failed) {
    this.failed = failed;
    /** @type {Step[]} the latest last */
    this.done = [];
    /** @type {Step[]} the next one to redo last */
    this.undone = [];
    this.isBusy = false;
    this.moving = Promise.resolve();
    this.back = iconButton("Undo2", t("undo"), () => this.move(this.done, this.undone, "undo"));
    this.forth = iconButton("Redo2", t("redo"), () => this.move(this.undone, this.done, "redo"));
    this.show();
  }

  /** Notes what was done, unless it was done here. @param {Step} step */
  note(step) {
    if (this.isBusy) return;
    this.done.push(step);
    if (this.done.length > MOST) this.done.shift();
    this.undone.length = 0;
    this.show();
  }

  /** Takes one step after the other. @param {Step[]} from @param {Step[]} to @param {"undo" | "redo"} way */
  move(from, to, way) {
    this.moving = this.moving.then(() => this.take(from, to, way));
  }

  /** @param {Step[]} from @param {Step[]} to @param {"undo" | "redo"} way */
  async take(from, to, way) {
    const step = from.pop();
    if (!step) return;
    this.isBusy = true;
    try {
      await step[way]();
      to.push(step);
    } catch (error) {
      // Somebody may have changed it since: what the service refuses is not offered again.
      if (error instanceof Unreachable) from.push(step);
      this.failed(error);
    } finally {
      this.isBusy = false;
      this.show();
    }
  }

  show() {
    for (const [made, steps, text] of /** @type {[HTMLButtonElement, Step[], string][]} */ ([[this.back, this.done, t("undo")], [this.forth, this.undone, t("redo")]])) {
      const step = steps.at(-1);
      made.hidden = !step;
      made.title = step ? labelled(text, t(`did_${step.what}`, { title: step.title || t("untitled") })) : text;
    }
  }

  /** Ctrl+Z and Ctrl+Shift+Z, where they are not for a text. @param {KeyboardEvent} event */
  pressed(event) {
    const { key, ctrlKey, metaKey, shiftKey, target } = event;
    const isText = target instanceof HTMLInputElement && target.type !== "checkbox" || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
    if (!(ctrlKey || metaKey) || key.toLowerCase() !== "z" || isText) return;
    event.preventDefault();
    (shiftKey ? this.forth : this.back).click();
  }
}

/** The step of a drawing that the service has: a new diagram is withdrawn and sent again, a changed one gets its values back. @param {Project} project @param {Outbox} outbox @param {Parcel} parcel @returns {Step} */
export function stepOf(project, outbox, { title, drawing, diagram, steps }) {
  if (drawing.id === undefined) {
    let id = diagram;
    return {
      what: "draw", title,
      undo: () => project.withdraw(Number(id)),
      redo: async () => (id = await outbox.arrival({ title, drawing, diagram: null, steps })),
    };
  }
  const { id, before, etag: _, ...values } = drawing;
  const send = async (/** @type {any} */ from, /** @type {any} */ to) => {
    const change = await changeOf(project, id, from, to);
    return outbox.arrival({ title, drawing: change, diagram: id, steps: stepsOf(project, change) });
  };
  return { what: "change", title, undo: () => send(values, before), redo: () => send(before, values) };
}
