// What the person asked for and the server has not yet surely answered. Items
// are stored before their first request and shared by all tabs of one person.
//
// Two keys per item. `item/<id>` changes while it is being sent; `outcome/<id>`
// is written at the end and never taken back. Storage has no transactions: a tab
// that read "sending" a moment ago may write it again after another tab saw the
// end. With one key that would put a finished question back to pending; here
// the outcome's key still says that it is over.

/**
 * @typedef {import('./types.js').OutboxItem} OutboxItem
 * @typedef {import('./types.js').ItemOutcome} ItemOutcome
 * @typedef {{item: OutboxItem|null, outcome: ItemOutcome|null}} Entry
 */

const DAY_MS = 24 * 3600 * 1000;
// Outcomes outlive every tab that could still hold the item.
const OUTCOME_KEPT_MS = 2 * DAY_MS;

export class Outbox {
  /**
   * @param {import('./storage.js').LayeredStorage} storage
   * @param {string} prefix separates people, workspaces and stages
   */
  constructor(storage, prefix) {
    this.storage = storage;
    this.itemPrefix = `${prefix}item/`;
    this.outcomePrefix = `${prefix}outcome/`;
    /** @type {Set<() => void>} */
    this.listeners = new Set();
    /** @param {StorageEvent} event */
    this.onStorage = (event) => {
      if (event.key === null || event.key.startsWith(prefix)) this.#notify();
    };
    globalThis.addEventListener?.('storage', this.onStorage);
  }

  close() {
    globalThis.removeEventListener?.('storage', this.onStorage);
    this.listeners.clear();
  }

  /** @param {() => void} listener */
  subscribe(listener) {
    this.listeners.add(listener);
  }

  #notify() {
    for (const listener of this.listeners) listener();
  }

  /** @param {OutboxItem} item */
  create(item) {
    this.storage.set(this.itemPrefix + item.id, JSON.stringify(item));
    this.#notify();
  }

  /** @param {string} id @returns {Entry} */
  read(id) {
    return {
      item: parseItem(this.storage.get(this.itemPrefix + id)),
      outcome: parseOutcome(this.storage.get(this.outcomePrefix + id)),
    };
  }

  /** Items whose outcome is not known. @returns {OutboxItem[]} */
  open() {
    return this.#items().filter(({ outcome }) => outcome === null).map(({ item }) => item);
  }

  /**
   * Open items, and refused ones that nobody has dealt with yet.
   * @returns {{item: OutboxItem, outcome: ItemOutcome|null}[]} in order of creation
   */
  visible() {
    return this.#items().filter(({ outcome }) => outcome === null || (outcome.state === 'refused' && !outcome.dismissed));
  }

  #items() {
    const entries = this.storage.keys(this.itemPrefix).map((key) => this.read(key.slice(this.itemPrefix.length)));
    return entries
      .flatMap(({ item, outcome }) => (item ? [{ item, outcome }] : []))
      .sort((a, b) => a.item.createdAt - b.item.createdAt || (a.item.id < b.item.id ? -1 : 1));
  }

  /**
   * Changes an item that is still open. Returns null, and writes nothing, when
   * it has ended or is gone: an item is created once and never by a change.
   * @param {string} id
   * @param {(item: OutboxItem) => void} edit
   * @returns {OutboxItem|null}
   */
  change(id, edit) {
    const { item, outcome } = this.read(id);
    if (!item || outcome) return null;
    edit(item);
    this.storage.set(this.itemPrefix + id, JSON.stringify(item));
    this.#notify();
    return item;
  }

  /**
   * Ends an item. A saved task is never overwritten by another tab's refusal.
   * A refused item keeps its text, so that the person can edit it.
   * @param {string} id
   * @param {ItemOutcome} outcome
   */
  finish(id, outcome) {
    if (this.read(id).outcome?.state !== 'done') {
      this.storage.set(this.outcomePrefix + id, JSON.stringify(outcome));
    }
    if (outcome.state === 'done') this.storage.remove(this.itemPrefix + id);
    this.#notify();
  }

  /**
   * Puts a refused item away, or gives up on one whose fate is unknown. The
   * outcome stays, so that a slower tab cannot bring the item back.
   * @param {string} id
   * @param {number} now
   */
  dismiss(id, now) {
    const outcome = this.read(id).outcome ?? { state: /** @type {const} */ ('refused'), at: now };
    this.storage.set(this.outcomePrefix + id, JSON.stringify({ ...outcome, dismissed: true }));
    this.storage.remove(this.itemPrefix + id);
    this.#notify();
  }

  /** The messages that ended items became. @returns {Set<string>} */
  settledMessages() {
    const outcomes = this.storage.keys(this.outcomePrefix).map((key) => parseOutcome(this.storage.get(key)));
    return new Set(outcomes.flatMap((outcome) => outcome?.result?.message ?? []));
  }

  /** @param {number} now */
  purge(now) {
    for (const key of this.storage.keys(this.outcomePrefix)) {
      const outcome = parseOutcome(this.storage.get(key));
      const id = key.slice(this.outcomePrefix.length);
      const waitsForPerson = outcome?.state === 'refused' && !outcome.dismissed;
      if (outcome && (waitsForPerson || now - outcome.at < OUTCOME_KEPT_MS)) continue;
      this.storage.remove(this.itemPrefix + id);
      this.storage.remove(key);
    }
  }
}

/** @param {string|null} text @returns {any} */
function parseObject(text) {
  try {
    const value = JSON.parse(text ?? 'null');
    return typeof value === 'object' ? value : null;
  } catch {
    return null; // not ours, or cut off: as good as absent
  }
}

/** @param {string|null} text @returns {OutboxItem|null} */
function parseItem(text) {
  const value = parseObject(text);
  const usable = value && typeof value.id === 'string' && value.intent && Array.isArray(value.steps) && value.steps[value.at];
  return usable ? value : null;
}

/** @param {string|null} text @returns {ItemOutcome|null} */
function parseOutcome(text) {
  const value = parseObject(text);
  return value?.state === 'done' || value?.state === 'refused' ? value : null;
}
