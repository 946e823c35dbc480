// Signing in without scanning a card: with a code and a name, with a pasted link, or with name and token.

import { element } from "../map/elements.js";
import { Refused } from "./failures.js";
import { Service } from "./service.js";
import { linkOf } from "./session.js";
import { t } from "./texts.js";

/** @import { Session } from "./session.js" */

/**
 * @param {{root: string, problem?: string, code?: string, done: (session: Session) => void}} settings
 * @returns {HTMLElement}
 */
export function signIn({ root, problem = "", code = "", done }) {
  const trouble = element("p", { className: "trouble", role: "alert" }, problem);
  const complain = (/** @type {string} */ text) => (trouble.textContent = text);

  const codeField = field(t("joiningCode"), { value: code, placeholder: "hk3pq-7vmwa", autocapitalize: "off", spellcheck: false, required: true });
  const nameField = field(t("yourName"), { autocomplete: "nickname", required: true, maxLength: 100 });
  const walkIn = form(t("join"), [codeField.label, nameField.label], async () => {
    const sent = { code: codeField.input.value.trim().toLowerCase(), username: nameField.input.value.trim() };
    try {
      const { body } = await new Service(root, "").send("POST", "walk_ins/", sent);
      done({ name: body.username, token: body.token, project: body.projectid });
    } catch (error) {
      complain(error instanceof Refused ? error.message : t("noService"));
    }
  });

  const linkField = field(t("link"), { placeholder: "https://…/join/#…", autocomplete: "off", spellcheck: false, required: true });
  const byLink = form(t("open"), [linkField.label], async () => {
    const text = linkField.input.value.trim();
    const link = linkOf(text.includes("#") ? text.slice(text.indexOf("#") + 1) : text);
    if (link && "session" in link) done(link.session);
    else complain(t(link && "problem" in link && link.problem === "cut" ? "linkCut" : "linkWithoutToken"));
  });

  const parts = [
    element("h1", {}, t("signInTitle")), element("p", {}, t("scanCard")), trouble,
    element("section", {}, element("h2", {}, t("withLink")), byLink),
    element("section", {}, element("h2", {}, t("withCode")), walkIn),
  ];
  // With a code, only a name is needed.
  if (code) parts.splice(3, 2, parts[4]);
  const page = element("main", { className: "plain" }, ...parts);
  if (code) requestAnimationFrame(() => nameField.input.focus());
  return page;
}

/** @param {string} text @param {Record<string, any>} settings */
function field(text, settings) {
  const input = element("input", { type: "text", ...settings });
  return { input, label: element("label", { className: "field" }, element("span", {}, text), input) };
}

/** @param {string} action @param {HTMLElement[]} fields @param {() => Promise<void>} send */
function form(action, fields, send) {
  const made = element("form", {}, ...fields, element("button", { type: "submit", className: "main" }, action));
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    void send();
  });
  return made;
}
