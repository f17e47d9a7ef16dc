// Documents and conversations: the lists on the shelf and the details behind
// them. Reads are patient: they come back by themselves after trouble.

import { isOnline } from './network.js';
import { randomFraction } from './random.js';
import { resendDelay } from './retry.js';
import { askedVersion as choose, currentOf, isIndexing, stateOf, versionOf } from './versions.js';

/**
 * @typedef {import('./types.js').DocumentInfo} DocumentInfo
 * @typedef {import('./types.js').Conversation} Conversation
 * @typedef {import('./types.js').Outcome} Outcome
 */

/**
 * @template T
 * @typedef {{items: Map<string, T>, next: string|null, status: 'loading'|'trouble'|'ready'}} List
 */

const PAGE = 20;
// The lists are read again when the person comes back, but not at each blink.
const FRESH_MS = 15_000;

export class Library {
  /**
   * @param {object} options
   * @param {import('./api.js').Api} options.api
   * @param {() => Promise<void>} options.untilSignedIn
   * @param {() => void} options.onUnauthorized
   * @param {() => void} options.onChange
   * @param {(info: DocumentInfo, version: import('./types.js').VersionInfo) => void} options.onRead a version was being read and is not any more
   */
  constructor({ api, untilSignedIn, onUnauthorized, onChange, onRead }) {
    this.api = api;
    this.untilSignedIn = untilSignedIn;
    this.onUnauthorized = onUnauthorized;
    this.onChange = onChange;
    this.onRead = onRead;
    this.closed = false;
    this.readAt = Date.now();
    /** @type {List<DocumentInfo>} */
    this.documents = { items: new Map(), next: null, status: 'loading' };
    /** @type {List<Conversation>} */
    this.conversations = { items: new Map(), next: null, status: 'loading' };
    /** The version that the page shows, by document. @type {Map<string, number>} */
    this.shown = new Map();
    /** Documents that were deleted, as far as this page has seen. @type {Set<string>} */
    this.deleted = new Set();
    /** Documents whose newest version is not ready, and that were asked why. @type {Set<string>} */
    this.askedWhy = new Set();
  }

  load() {
    return Promise.all([this.moreDocuments(), this.moreConversations()]);
  }

  moreDocuments() {
    return this.#more(this.documents, 'documents', (body) => body.documents);
  }

  moreConversations() {
    return this.#more(this.conversations, 'conversations', (body) => body.conversations);
  }

  /** Looks for what other people, tabs and devices have added. */
  refresh() {
    if (this.closed || Date.now() - this.readAt < FRESH_MS) return;
    this.readAt = Date.now();
    void this.#newest(this.documents, 'documents', (body) => body.documents);
    void this.#newest(this.conversations, 'conversations', (body) => body.conversations);
  }

  /**
   * The first page again: what is new goes to the top, what is known stays.
   * @template {{id: string}} T
   * @param {List<T>} list
   * @param {string} name
   * @param {(body: any) => T[]} pick
   */
  async #newest(list, name, pick) {
    if (list.status !== 'ready') return; // still being read for the first time
    const outcome = await this.patientGet(`v1/${name}?limit=${PAGE}`);
    if (outcome.kind !== 'ok') return;
    const entries = pick(outcome.body).map((entry) => /** @type {[string, T]} */ ([entry.id, { ...list.items.get(entry.id), ...entry }]));
    list.items = new Map([...entries, ...[...list.items].filter(([id]) => !entries.some(([known]) => known === id))]);
    this.#askWhy();
    this.onChange();
  }

  /** A list does not say whether a version that is not ready is being read or has failed. */
  #askWhy() {
    for (const [id, info] of this.documents.items) {
      if (currentOf(info) === info.latest_version || versionOf(info, info.latest_version) || this.askedWhy.has(id)) continue;
      this.askedWhy.add(id);
      void this.loadDocument(id);
    }
  }

  /**
   * @template {{id: string}} T
   * @param {List<T>} list
   * @param {string} name
   * @param {(body: any) => T[]} pick
   */
  async #more(list, name, pick) {
    const query = new URLSearchParams({ limit: String(PAGE) });
    if (list.next) query.set('after', list.next);
    const outcome = await this.patientGet(`v1/${name}?${query}`, () => {
      list.status = 'trouble';
      this.onChange();
    });
    if (outcome.kind !== 'ok') return;
    for (const entry of pick(outcome.body)) {
      if (!list.items.has(entry.id)) list.items.set(entry.id, entry);
    }
    list.next = outcome.body.next;
    list.status = 'ready';
    this.#askWhy();
    this.onChange();
  }

  /**
   * A document with its versions.
   * @param {string} id
   * @returns {Promise<DocumentInfo|null>} null when there is none with this id
   */
  async loadDocument(id) {
    const outcome = await this.patientGet(`v1/documents/${id}`);
    if (outcome.kind !== 'ok') {
      if (outcome.status === 404) this.forgetDocument(id);
      return null;
    }
    this.keepDocument(outcome.body);
    return outcome.body;
  }

  /** @param {DocumentInfo} info */
  keepDocument(info) {
    if (this.deleted.has(info.id)) return; // an answer from before
    const before = this.documents.items.get(info.id);
    this.documents.items.set(info.id, { ...before, ...info });
    // The version on the page stays when a newer one is there: nobody shall ask
    // about a text that changed under their hands.
    const asked = choose(info, this.shown.get(info.id));
    if (asked === null) this.shown.delete(info.id);
    else this.shown.set(info.id, asked);
    this.onChange();
    for (const version of info.versions ?? []) {
      const known = before && versionOf(before, version.version);
      if (stateOf(known) === 'indexing' && stateOf(version) !== 'indexing') this.onRead(info, version);
    }
  }

  /** The version that a question goes to; null: none can be asked about. @param {DocumentInfo} info */
  askedVersion(info) {
    return choose(info, this.shown.get(info.id));
  }

  /** It was deleted, here or elsewhere. @param {string} id */
  forgetDocument(id) {
    this.deleted.add(id);
    this.documents.items.delete(id);
    this.onChange();
  }

  /** Documents with a version that is being read. @returns {DocumentInfo[]} */
  indexing() {
    return [...this.documents.items.values()].filter(isIndexing);
  }

  /** A conversation made just now goes to the top. @param {Conversation} conversation */
  keepConversation(conversation) {
    if (this.conversations.items.has(conversation.id)) return;
    this.conversations.items = new Map([[conversation.id, conversation], ...this.conversations.items]);
    this.onChange();
  }

  /** @param {string} id @param {number} version */
  showVersion(id, version) {
    this.shown.set(id, version);
    this.onChange();
  }

  /**
   * A GET that goes on until it has a definite answer, the way a person would
   * press reload.
   * @param {string} path
   * @param {() => void} [onTrouble]
   * @param {string} [etag]
   * @returns {Promise<Outcome>}
   */
  async patientGet(path, onTrouble, etag) {
    for (let failures = 0; ;) {
      const outcome = await this.api.get(path, { etag });
      if (this.closed || (outcome.kind !== 'unanswered' && outcome.kind !== 'unauthorized')) return outcome;
      if (outcome.kind === 'unauthorized') {
        this.onUnauthorized();
        await this.untilSignedIn();
      } else {
        failures += 1;
        onTrouble?.();
        await waitOrOnline(resendDelay(failures, outcome.retryAfterMs ?? null, randomFraction()));
      }
      if (this.closed) return outcome;
    }
  }

  close() {
    this.closed = true;
  }
}

/**
 * Waits, and for longer while the network is away.
 * @param {number} ms
 */
async function waitOrOnline(ms) {
  await new Promise((resolve) => { setTimeout(resolve, ms); });
  if (isOnline()) return;
  await new Promise((resolve) => { globalThis.addEventListener('online', resolve, { once: true }); });
}
