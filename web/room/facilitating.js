// What the facilitator's pages share: requests about the project, fields that are saved as one types, and what happened.

import { reasonOf } from "./reasons.js";

/** @import { Project } from "./project.js" */

/** Pause after the last key, in milliseconds. */
const PAUSE = 1000;

export class Facilitating {
  /** @param {Project} project @param {(text: string) => void} said shows what happened, or what went wrong */
  constructor(project, said) {
    this.project = project;
    this.said = said;
  }

  /** Does something, and says its result or what went wrong. @param {Promise<any>} doing @param {string | (() => void)} [then] */
  async try(doing, then) {
    try {
      await doing;
      if (typeof then === "string") this.said(then);
      else then?.();
    } catch (error) {
      this.said(reasonOf(error));
    }
  }

  /** @param {string} method @param {string} path below the project @param {any} [body] */
  send(method, path, body) {
    return this.project.service.send(method, this.project.path + path, body);
  }

  /**
   * A field that is saved after a pause, and when it is left. Only a changed value is sent: others may have changed the rest.
   * @template {HTMLInputElement | HTMLTextAreaElement} F
   * @param {F} field @param {(value: string) => Promise<any>} save @param {string | (() => string)} done what is said then @returns {F}
   */
  savedAsTyped(field, save, done) {
    let timer = 0;
    const now = () => {
      clearTimeout(timer);
      const { value } = field;
      if (value === field.defaultValue || !field.checkValidity()) return;
      void this.try(save(value).then(() => (field.defaultValue = value)), () => this.said(typeof done === "string" ? done : done()));
    };
    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(now, PAUSE);
    });
    field.addEventListener("change", now);
    return field;
  }
}
