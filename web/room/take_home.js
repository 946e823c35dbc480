// Files to take home from an evening, and the rehearsal before it.

import { button, element } from "../map/elements.js";
import { reasonOf } from "./reasons.js";
import { saveFile } from "./save_file.js";
import { listed, t } from "./texts.js";

/** @import { Project } from "./project.js" */
/** @import { Processes, ProcessName } from "./processes.js" */

/** Name of the service's operator. */
export const OPERATOR = "admin";

/** @type {[ProcessName, "report" | "workbook" | "costPage" | "qgisProject", string][]} */
const MADE = [["report", "report", "html"], ["workbook", "workbook", "xlsx"], ["cost_page", "costPage", "html"], ["qgis_project", "qgisProject", "qgz"]];
/** Words in file names. @type {Record<string, string>} */
const WORDS = { costPage: "costs", qgisProject: "" };

export class TakeHome {
  /** @param {Project} project @param {Processes} processes @param {(text: string) => void} failed */
  constructor(project, processes, failed) {
    this.project = project;
    this.processes = processes;
    this.failed = failed;
    this.state = element("p", { role: "status" });
    this.made = element("div", { className: "buttons" });
    this.element = element("section", {}, element("h2", {}, t("takeHome")), element("div", { className: "buttons" },
      this.download(t("archive"), `${project.path}archive/`, "zip"),
      project.me === OPERATOR ? this.download(t("backup"), "backup/", "sqlite") : null),
    element("p", { className: "quiet" }, t("archiveNote")), this.made, this.state);
  }

  /** Called when the panel is opened; files made by Python may not be available. */
  async show() {
    let offered = new Set();
    try {
      offered = await this.processes.offered();
    } catch {
      // The next opening of the panel asks again.
    }
    const missing = MADE.filter(([process]) => !offered.has(process)).map(([, text]) => t(text));
    this.made.replaceChildren(...MADE.filter(([process]) => offered.has(process)).map(([process, text, ending]) =>
      this.button(t(text), ending, () => this.processes.run(process), WORDS[text] ?? text)));
    if (missing.length) this.made.append(element("p", { className: "quiet" }, t("needsPython", { what: listed(missing) })));
  }

  /** @param {string} text @param {string} path @param {string} ending */
  download(text, path, ending) {
    return this.button(text, ending, () => this.project.service.file(path));
  }

  /** @param {string} text @param {string} ending of the file's name @param {() => Promise<Blob>} make @param {string} [what] a word in its name */
  button(text, ending, make, what) {
    const made = button(text, async () => {
      made.disabled = true;
      this.state.textContent = t("isBeingMade", { what: text });
      try {
        saveFile(await make(), `${[this.project.title || "project", what].filter(Boolean).join(" ")}.${ending}`);
        this.state.textContent = t("isMade", { what: text });
      } catch (error) {
        this.state.textContent = "";
        this.failed(reasonOf(error));
      }
      made.disabled = false;
    });
    return made;
  }
}
