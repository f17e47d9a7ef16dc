// A place to keep things that survives what it can: localStorage, else
// sessionStorage, else memory. Browsers refuse storage by setting, in some
// private windows, and when the quota is used up, so each write falls back by
// itself.

/** @typedef {'local'|'session'|'memory'} Layer */

/**
 * Opens a Web Storage area, or null where touching it throws.
 * @param {'localStorage'|'sessionStorage'} name
 * @returns {Storage|null}
 */
export function webStorage(name) {
  try {
    return globalThis[name];
  } catch {
    return null; // SecurityError: storage is blocked for this site
  }
}

export class LayeredStorage {
  /**
   * @param {Storage|null} local
   * @param {Storage|null} session
   */
  constructor(local, session) {
    /** @type {Map<string, string>} */
    this.memory = new Map();
    this.areas = [local, session];
    /** The weakest layer that a value had to be put into so far. @type {Layer} */
    this.weakest = 'local';
  }

  /**
   * The most volatile layer is asked first: a value is there only because the
   * lasting one refused it, so an older copy there is out of date.
   * @param {string} key
   * @returns {string|null}
   */
  get(key) {
    if (this.memory.has(key)) return this.memory.get(key) ?? null;
    for (const area of [this.areas[1], this.areas[0]]) {
      try {
        const value = area?.getItem(key) ?? null;
        if (value !== null) return value;
      } catch {
        // Blocked after it was opened: the next layer decides.
      }
    }
    return null;
  }

  /**
   * @param {string} key
   * @param {string} value
   * @returns {Layer} where the value is now
   */
  set(key, value) {
    this.memory.delete(key);
    for (const [index, area] of this.areas.entries()) {
      try {
        if (!area) continue;
        area.setItem(key, value);
        if (index === 0) this.areas[1]?.removeItem(key);
        return this.#note(index === 0 ? 'local' : 'session');
      } catch {
        // Quota or block. An older copy may stay here: it is hidden by the newer
        // one, and after a crash an older state of an item is better than none.
      }
    }
    this.memory.set(key, value);
    return this.#note('memory');
  }

  /** @param {string} key */
  remove(key) {
    this.memory.delete(key);
    for (const area of this.areas) this.#removeFrom(area, key);
  }

  /**
   * @param {string} prefix
   * @returns {string[]}
   */
  keys(prefix) {
    const found = new Set([...this.memory.keys()].filter((key) => key.startsWith(prefix)));
    for (const area of this.areas) {
      try {
        for (let i = 0; area && i < area.length; i++) {
          const key = area.key(i);
          if (key?.startsWith(prefix)) found.add(key);
        }
      } catch {
        // Blocked: nothing of ours can be in it.
      }
    }
    return [...found];
  }

  /** @param {Storage|null} area @param {string} key */
  #removeFrom(area, key) {
    try {
      area?.removeItem(key);
    } catch {
      // Blocked: there is nothing to remove.
    }
  }

  /** @param {Layer} layer @returns {Layer} */
  #note(layer) {
    const order = ['local', 'session', 'memory'];
    if (order.indexOf(layer) > order.indexOf(this.weakest)) this.weakest = layer;
    return layer;
  }
}
