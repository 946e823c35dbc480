// The menu: the signed-in member, settings for other programs, the language, and signing out.

import { button, element } from "../map/elements.js";
import { iconButton } from "../map/icons.js";
import { ask } from "./ask.js";
import { saveOwnData } from "./own_data.js";
import { narrow } from "./panel.js";
import { hasNoTls } from "./session.js";
import { currentLanguage, languages, t } from "./texts.js";

/** @import { Settings } from "./workspace.js" */
/** @import { Project } from "./project.js" */
/** @import { RoomMap } from "./room_map.js" */

/** @param {Settings} settings @param {Project} project @param {RoomMap} room @param {{runEvening: () => void, prints: HTMLElement[]}} actions */
export function openMenu({ session, keeper, home, about, signOut, otherProjects, service }, project, room, { runEvening, prints }) {
  const dialog = element("dialog", { className: "card", "aria-labelledby": "menu-title" });
  dialog.addEventListener("close", () => dialog.remove());
  const key = session.key ? `:${session.key}` : "";
  const link = `${home.href}join/#${encodeURIComponent(session.name)}:${session.token}${key}`;
  const isPlain = hasNoTls(home);
  const python = `from pygeodesign import Client; client = Client.join(${JSON.stringify(link)}${isPlain ? ", allow_http=True" : ""})`;
  const language = element("select", { ariaLabel: t("language") },
    ...languages().map(([code, name]) => element("option", { value: code, lang: code }, name)));
  language.value = currentLanguage();
  language.addEventListener("change", () => {
    keeper.keep("language", language.value);
    location.reload();
  });
  const layers = project.layers.map((layer) => element("li", {}, layer.display_name || layer.layer_name, " ",
    layerSwitch(layer, about.allowed_hosts || [], room)));
  dialog.append(
    iconButton("X", t("close"), () => dialog.close(), { className: "close" }),
    element("h2", { id: "menu-title" }, session.name || t("guest")),
    element("p", {}, project.isMember ? t("youAreMember", { project: project.title }) : t("youAreGuest", { project: project.title })),
    element("div", { className: "buttons" },
      otherProjects ? button(t("otherProjects"), () => {
        dialog.close();
        otherProjects();
      }) : null,
      project.isAdministrator ? null : button(t("runEvening"), () => {
        dialog.close();
        runEvening();
      }),
      ...(narrow.matches ? prints : []),
      element("a", { href: "?wall", target: "_blank", className: "button" }, t("wall")),
      button(t("signOut"), async () => {
        // For all projects, and for others who used this browser.
        const count = keeper.names("sent:").length + keeper.names("draft:").length;
        if (count && !(await ask(t("signOutUnsent", { count }), t("signOut")))) return;
        dialog.close();
        service.close();
        signOut();
      })),
    element("label", { className: "field" }, element("span", {}, t("language")), language),
    layers.length ? element("section", {}, element("h3", {}, t("layers")), element("ul", { className: "layers" }, ...layers)) : "",
    project.isMember ? element("details", {}, element("summary", {}, t("keptOfYou")), element("p", {}, t("keptOfYouText")),
      button(t("takeAlong"), () => void saveOwnData(project))) : "",
    element("details", {}, element("summary", {}, t("otherPrograms")),
      copyable(t("inPython"), python), copyable(t("linkOfYours", { command: isPlain ? "pygeodesign login --allow-http" : "pygeodesign login" }), link), copyable(t("address"), service.root), copyable(t("token"), session.token),
      element("p", { className: "quiet" }, t("keepSecret")),
      session.key ? element("p", { className: "quiet" }, t("ownAuthority"), " ", element("a", { href: "/ca.pem", download: "" }, "ca.pem")) : ""));
  document.body.append(dialog);
  dialog.showModal();
}

/** A data layer, if this page may load it. @param {any} layer @param {string[]} hosts @param {RoomMap} room */
function layerSwitch(layer, hosts, room) {
  let host = "";
  try {
    host = new URL(layer.url).host;
  } catch {
    return element("span", { className: "quiet" }, t("layerNoAddress"));
  }
  const isTiles = layer.layer_type === "XYZ" || layer.layer_type === "WMS" || layer.layer_type === "wms";
  if (!isTiles) return element("span", { className: "quiet" }, t("layerKind", { kind: layer.layer_type }));
  if (!hosts.includes(host)) return element("span", { className: "quiet" }, t("layerHost", { host }));
  const box = element("input", { type: "checkbox", checked: room.hasLayer(layer) });
  box.addEventListener("change", () => room.setLayer(layer, box.checked));
  return element("label", {}, box, t("shown"));
}

/** @param {string} name @param {string} text */
function copyable(name, text) {
  const code = element("code", {}, text);
  const copy = button(t("copy"), async () => {
    let isCopied = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // For browsers that do not trust the certificate: the selected text can be copied.
      getSelection()?.selectAllChildren(code);
      isCopied = document.execCommand("copy");
    }
    copy.textContent = t(isCopied ? "copied" : "selected");
    setTimeout(() => (copy.textContent = t("copy")), 2000);
  });
  return element("section", { className: "copyable" }, element("h3", {}, name), copy, code);
}
