// Elements of a page. Texts become text nodes, never markup.

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name @param {Record<string, any>} [properties] properties of the element; those with a hyphen are attributes
 * @param {...(Node | string | null | undefined | false)} children null and false are left out
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (key.includes("-") || key === "role") made.setAttribute(key, value);
    else /** @type {any} */ (made)[key] = value;
  }
  made.append(.../** @type {(Node | string)[]} */ (children.filter((child) => child !== null && child !== undefined && child !== false)));
  return made;
}

/**
 * A button with a text.
 * @param {string} text @param {(event: MouseEvent) => void} action @param {Record<string, any>} [properties]
 */
export function button(text, action, properties = {}) {
  const made = element("button", { type: "button", ...properties }, text);
  made.addEventListener("click", action);
  return made;
}

/**
 * @template {"span" | "i"} K
 * @param {string} color @param {K} [name]
 */
export function swatch(color, name) {
  const made = element(name || "span", { className: "swatch" });
  made.style.background = color;
  return made;
}

/**
 * Returns the element that a selector finds; throws if the page has none, which is a bug.
 * @template {Element} [T=HTMLElement]
 * @param {string} selector @param {ParentNode} [within] @returns {T}
 */
export function the(selector, within = document) {
  const found = within.querySelector(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return /** @type {T} */ (found);
}
