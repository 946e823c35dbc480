// Work that the service passes to Python, if it was started from Python: GIS files, weighed maps, reports.

/** @import { Service } from "./service.js" */

/** @typedef {"read_map" | "weigh_maps" | "report" | "workbook" | "cost_page" | "qgis_project"} ProcessName */

export class Processes {
  /** @param {Service} service @param {string} project its id */
  constructor(service, project) {
    this.service = service;
    this.project = project;
    /** @type {Promise<Set<string>> | null} */
    this.known = null;
  }

  /** The names of the available processes. @returns {Promise<Set<string>>} */
  offered() {
    this.known ??= this.service.file("../../processes/").then(async (answer) => new Set(JSON.parse(await answer.text()).processes));
    this.known.catch(() => (this.known = null));
    return this.known;
  }

  /**
   * Runs a process, and returns the file that it made. Throws `Refused` or `Unreachable`.
   * @param {ProcessName} name @param {Blob | string} [content] @param {Record<string, string>} [settings]
   */
  run(name, content, settings = {}) {
    return this.service.file(`../../processes/${this.project}/${name}/?${new URLSearchParams(settings)}`, content);
  }
}
