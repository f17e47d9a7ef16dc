// Documents and conversations: the lists on the shelf and the details behind
// them. Reads are patient: they come back by themselves after trouble.

import { isOnline } from './network.js';
import { randomFraction } from './random.js';
import { resendDelay } from './retry.js';

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
   */
  constructor({ api, untilSignedIn, onUnauthorized, onChange }) {
    this.api = api;
    this.untilSignedIn = untilSignedIn;
    this.onUnauthorized = onUnauthorized;
    this.onChange = onChange;
    this.closed = false;
    this.readAt = Date.now();
    /** @type {List<DocumentInfo>} */
    this.documents = { items: new Map(), next: null, status: 'loading' };
    /** @type {List<Conversation>} */
    this.conversations = { items: new Map(), next: null, status: 'loading' };
    /** The version that the page shows, by document. @type {Map<string, number>} */
    this.shown = new Map();
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
    this.onChange();
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
    this.onChange();
  }

  /**
   * A document with its versions. The newest version is shown unless the person
   * chose another.
   * @param {string} id
   * @returns {Promise<DocumentInfo|null>} null when there is none with this id
   */
  async loadDocument(id) {
    const outcome = await this.patientGet(`v1/documents/${id}`);
    if (outcome.kind !== 'ok') return null;
    this.keepDocument(outcome.body);
    return outcome.body;
  }

  /** @param {DocumentInfo} info */
  keepDocument(info) {
    this.documents.items.set(info.id, { ...this.documents.items.get(info.id), ...info });
    if (!this.shown.has(info.id)) this.shown.set(info.id, info.latest_version);
    this.onChange();
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
