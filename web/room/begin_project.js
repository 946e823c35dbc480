// A new project, begun with its title. Everything else is set in Prepare.

import { element } from "../map/elements.js";
import { reasonOf } from "./reasons.js";
import { OPERATOR } from "./take_home.js";
import { t } from "./texts.js";

/** The whole Earth, until the project has a study area. */
const EARTH = "-180,-60,180,75";

/**
 * A form for the title and, for everybody but the operator, for a creation code.
 * @param {import("./service.js").Service} service @param {string} name of who begins it @param {(project: string) => void} done
 */
export function beginProject(service, name, done) {
  const title = element("input", { type: "text", required: true, maxLength: 200 });
  const code = element("input", { type: "text", required: true, dir: "ltr", autocapitalize: "off", spellcheck: false });
  const isOperator = name === OPERATOR;
  const trouble = element("p", { className: "trouble", role: "alert" });
  const form = element("form", {}, field(t("title"), title), isOperator ? null : field(t("creationCode"), code),
    element("button", { type: "submit", className: "main" }, t("beginProject")), trouble);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const body = { creation_code: isOperator ? "" : code.value.trim(), project_title: title.value.trim(), project_description: "", map_bounds: EARTH, map_center: "0,0",
      zoom_level: 2, systems: [], tags: [], plugins: [] };
    try {
      const { body: { message } } = await service.send("POST", "projects/create/", body);
      done(idIn(message));
    } catch (error) {
      trouble.textContent = reasonOf(error);
    }
  });
  return element("details", { className: "begin" }, element("summary", {}, t("beginProject")), form);
}

/** The id that ends the service's message about a new project. @param {string} message */
const idIn = (message) => message.replace(/^.* |\.$/g, "");

/** @param {string} text @param {HTMLElement} input */
function field(text, input) {
  return element("label", { className: "field" }, element("span", {}, text), input);
}
