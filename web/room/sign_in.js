// The page without a card: signing in with a code and a name or with a pasted link, and the way in for programs.

import { element } from "../map/elements.js";
import { Refused } from "./failures.js";
import { Service } from "./service.js";
import { hasNoTls, linkOf } from "./session.js";
import { t } from "./texts.js";

/** @import { Session } from "./session.js" */

/**
 * @param {{root: string, home: URL, problem?: string, code?: string, done: (session: Session) => void}} settings
 * @returns {HTMLElement}
 */
export function signIn({ root, home, problem = "", code = "", done }) {
  const trouble = element("p", { className: "trouble", role: "alert" }, problem);
  const complain = (/** @type {string} */ text) => (trouble.textContent = text);

  const codeField = field(t("joiningCode"), { value: code, placeholder: "hk3pq-7vmwa", dir: "ltr", autocapitalize: "off", spellcheck: false, required: true });
  const nameField = field(t("yourName"), { autocomplete: "nickname", required: true, maxLength: 100 });
  const come = async (/** @type {string} */ path, /** @type {Record<string, string>} */ sent) => {
    try {
      const { body } = await new Service(root, "").send("POST", path, sent);
      done({ name: body.username, token: body.token, project: body.projectid });
    } catch (error) {
      complain(error instanceof Refused ? error.message : t("noService"));
    }
  };
  const walkIn = form(t("join"), [codeField.label, nameField.label],
    () => come("walk_ins/", { code: codeField.input.value.trim().toLowerCase(), username: nameField.input.value.trim() }));

  const linkField = field(t("codeOrLink"), { placeholder: "abcd-2345", dir: "ltr", autocomplete: "off", autocapitalize: "off", spellcheck: false, required: true });
  const byCard = form(t("open"), [linkField.label], async () => {
    const text = linkField.input.value.trim();
    if (!/[#:/]/.test(text)) return come("cards/", { code: text });
    const link = linkOf(text.includes("#") ? text.slice(text.indexOf("#") + 1) : text);
    if (link && "session" in link) done(link.session);
    else complain(t(link && "problem" in link && link.problem === "cut" ? "linkCut" : "linkWithoutToken"));
  });

  const ways = [part(t("haveLink"), t("haveLinkNote"), byCard), part(t("haveCode"), t("haveCodeNote"), walkIn)];
  const page = element("main", { className: "plain sign-in" },
    element("h1", {}, t("signInTitle")), element("p", {}, t("aboutRoom")), trouble, ...ways, part(t("haveNothing"), t("haveNothingNote")), programs(home));
  if (code) requestAnimationFrame(() => nameField.input.focus());
  return page;
}

/** @param {string} heading @param {string} text @param {HTMLElement} [content] */
function part(heading, text, content) {
  return element("section", {}, element("h2", {}, heading), element("p", {}, text), content);
}

/** The way in for programs. @param {URL} home */
function programs(home) {
  const address = home.href.replace(/\/$/, "");
  const isPlain = hasNoTls(home);
  const client = `Client(token, ${JSON.stringify(address)}${isPlain ? ", allow_http=True" : ""})`;
  return element("section", {}, element("h2", {}, t("youProgram")), element("p", {}, t("youProgramNote")),
    element("pre", {}, `pip install pygeodesign\n\nfrom pygeodesign import Client\nclient = ${client}`),
    element("ul", {},
      element("li", {}, element("a", { href: "api/v1/openapi.json" }, t("operationsDocument"))),
      element("li", {}, element("a", { href: "ogc/" }, t("layersForGis")))));
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
