// The signed-in member. Stored values stay in this browser, under keys that contain the workshop's path.

/**
 * @typedef {object} Session
 * @property {string} name
 * @property {string} token
 * @property {string} [key] of the authority of the room, for programs that check it
 * @property {string} [project] the one that was open last
 */

/** A link's part after #. @typedef {{session: Session} | {code: string} | {problem: "cut" | "noToken"} | null} Link */

/** @param {string} hash what follows # in a link @returns {Link} */
export function linkOf(hash) {
  if (!hash) return null;
  const parts = hash.split(":").map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return "";
    }
  });
  if (parts.length === 1) return /^[a-z0-9]{5}-[a-z0-9]{5}$/.test(parts[0]) ? { code: parts[0] } : { problem: "noToken" };
  const [name, token, key] = parts;
  if (!name || !/^[\x21-\x7e]+$/.test(token)) return { problem: "noToken" };
  // Programs refuse a link whose key is cut off.
  if (key !== undefined && !/^[\w-]{43}$/.test(key)) return { problem: "cut" };
  return { session: { name, token, ...(key === undefined ? {} : { key }) } };
}

/** Values that stay in this browser, or in this page where the browser stores nothing. */
export class Keeper {
  /** @param {string} path of the workshop */
  constructor(path) {
    this.prefix = `geodesign:${path}:`;
    /** @type {Map<string, string>} what the browser does not keep */
    this.memory = new Map();
  }

  /** @param {string} name @returns {any} what was kept; null if there is nothing */
  read(name) {
    const text = this.memory.get(name) ?? stored()?.getItem(this.prefix + name);
    try {
      return text ? JSON.parse(text) : null;
    } catch {
      return null;
    }
  }

  /** Stores a value. @param {string} name @param {any} value @returns {boolean} whether it outlives the page */
  keep(name, value) {
    const text = JSON.stringify(value);
    try {
      localStorage.setItem(this.prefix + name, text);
      this.memory.delete(name);
      return true;
    } catch {
      this.memory.set(name, text);
      return false;
    }
  }

  /** @param {string} name */
  drop(name) {
    stored()?.removeItem(this.prefix + name);
    this.memory.delete(name);
  }

  /** The stored names that begin with this. @param {string} start @returns {string[]} */
  names(start) {
    const inBrowser = Object.keys(stored() ?? {}).filter((name) => name.startsWith(this.prefix)).map((name) => name.slice(this.prefix.length));
    return [...new Set([...inBrowser, ...this.memory.keys()])].filter((name) => name.startsWith(start)).sort();
  }

  /** Deletes everything. */
  empty() {
    for (const name of this.names("")) this.drop(name);
  }
}

/** The browser's storage; null where it is switched off. */
function stored() {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

/**
 * True for plain http in a network, which programs use only if they are told to: `allow_http=True`.
 * @param {URL} home
 */
export const hasNoTls = (home) => home.protocol === "http:" && !/^(localhost|127\.|\[::1\])/.test(home.hostname);

/** True if the devices of others cannot reach a host: it is this machine, a container, or nowhere. @param {string} host */
export const isOutOfReach = (host) =>
  /^((.+\.)?localhost|(127|0|169\.254|172\.17)(\.\d+)+|host\.docker\.internal|[0-9a-f]{12}|\[(::1?|fe[89ab].*)\])$/.test(host);

/** A random, unique id. @returns {string} */
export function randomId() {
  // `crypto.randomUUID` is missing on pages without TLS.
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
