// Files on their way to object storage. A file lives in the tab that it was chosen
// in; the outbox item that it belongs to is stored and known to all tabs.

import { ANSWER_LIMIT_MS } from './api.js';
import { putFile } from './put_file.js';
import { sha256Of } from './sha256.js';

/**
 * @typedef {import('./types.js').OutboxItem} OutboxItem
 * @typedef {import('./types.js').Outcome} Outcome
 * @typedef {import('./types.js').SignedPut} SignedPut
 */

// The lease in the stored item is renewed while something moves, but not at each
// of the many progress events.
const RENEW_MS = 10_000;

/** Somebody chose a file that is not the one whose upload goes on. */
export class OtherFileError extends Error {}

export class Uploads {
  /**
   * @param {object} options
   * @param {import('./api.js').Api} options.api
   * @param {import('./outbox.js').Outbox} options.outbox
   * @param {() => void} options.onProgress
   */
  constructor({ api, outbox, onProgress }) {
    this.api = api;
    this.outbox = outbox;
    this.onProgress = onProgress;
    /** @type {Map<string, File>} */
    this.files = new Map();
    /** Requests that were signed and not used yet. @type {Map<string, SignedPut>} */
    this.signed = new Map();
    /** How much of a file has been sent, from 0 to 1. @type {Map<string, number>} */
    this.sent = new Map();
  }

  /** @param {string} id @param {File} file */
  keep(id, file) {
    this.files.set(id, file);
  }

  /** @param {string} id */
  has(id) {
    return this.files.has(id);
  }

  /** Lets go of what belongs to ended items. @param {Set<string>} ids of open ones */
  keepOnly(ids) {
    for (const map of [this.files, this.signed, this.sent]) {
      for (const id of map.keys()) if (!ids.has(id)) map.delete(id);
    }
  }

  /**
   * Goes on with an upload whose file was lost with the page that had it.
   * @param {OutboxItem} item
   * @param {File} file
   */
  async give(item, file) {
    const { file: announced } = item.intent;
    const same = announced?.bytes === file.size && announced.sha256 === await sha256Of(file, () => {});
    if (!same) throw new OtherFileError();
    this.keep(item.id, file);
    this.outbox.change(item.id, (stored) => {
      Object.assign(stored, { state: 'sending', tries: 0, nextAt: 0, lease: null });
    });
  }

  /**
   * Sends the file of an item. Without the file, the answer is that it may be
   * there: completing the upload finds out.
   * @param {OutboxItem} item
   * @param {{tab: string, signal: AbortSignal}} options
   * @returns {Promise<Outcome>}
   */
  async send(item, { tab, signal }) {
    const file = this.files.get(item.id);
    if (!file) return { kind: 'ok', status: 0, body: {} };
    if (!await readable(file)) {
      this.files.delete(item.id);
      return { kind: 'refused', status: 0, problem: { code: 'file_changed' } };
    }
    const signed = await this.#request(item, signal);
    if ('kind' in signed) return signed;
    const outcome = await putFile(signed, file, {
      base: this.api.base, signal, onProgress: (fraction) => this.#progress(item.id, fraction, tab),
    });
    if (outcome.kind !== 'ok') this.sent.delete(item.id);
    return outcome;
  }

  /**
   * A signed request. The create call is idempotent: sent again, with the same key
   * and body, it signs a new request for the same upload.
   * @param {OutboxItem} item
   * @param {AbortSignal} signal
   * @returns {Promise<SignedPut|Outcome>}
   */
  async #request(item, signal) {
    const known = this.signed.get(item.id);
    this.signed.delete(item.id); // one request, one try
    if (known && Date.parse(known.expires_at) > Date.now() + this.api.clockOffsetMs + ANSWER_LIMIT_MS) return known;
    const step = item.steps[0];
    const outcome = await this.api.post(step.path ?? '', step.body ?? '', { key: step.key, signal });
    if (outcome.kind !== 'ok') return outcome;
    return outcome.body?.upload ?? { kind: 'unanswered', status: outcome.status };
  }

  /** @param {string} id @param {number} fraction @param {string} tab */
  #progress(id, fraction, tab) {
    this.sent.set(id, fraction);
    const now = Date.now();
    const lease = this.outbox.read(id).item?.lease;
    if (lease?.tab === tab && lease.until - now < ANSWER_LIMIT_MS - RENEW_MS) {
      this.outbox.change(id, (stored) => { stored.lease = { tab, until: now + ANSWER_LIMIT_MS }; });
    }
    this.onProgress();
  }
}

/** A file that was changed or removed since it was chosen cannot be read. @param {File} file */
async function readable(file) {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}
