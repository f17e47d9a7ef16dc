// Asks the server about what is under way: tasks that have not ended, documents
// that are being read. One timer for each; answers are cheap (304 while nothing
// changed), and the server sets the pace.

import { isOnline } from './network.js';
import { randomFraction } from './random.js';
import { resendDelay } from './retry.js';

/**
 * @typedef {{id: string, path: string}} Target
 * @typedef {{path: string, id: string, etag: string|undefined, failures: number, timer: ReturnType<typeof setTimeout>|undefined, asking: boolean}} Watch
 */

const USUAL_MS = 1000;
const LONGEST_MS = 30_000;
// A hidden page does not poll for a screen that nobody sees. It looks now and
// then, for as long as something is due, so that the title can say it is ready.
const HIDDEN_MS = 20_000;

export class Poller {
  /**
   * @param {object} options
   * @param {import('./api.js').Api} options.api
   * @param {(body: any) => void} options.onAnswer
   * @param {(id: string) => void} [options.onGone] it does not exist any more
   * @param {() => void} options.onUnauthorized
   * @param {() => boolean} [options.hidden]
   */
  constructor({ api, onAnswer, onGone, onUnauthorized, hidden = () => document.hidden }) {
    this.api = api;
    this.onAnswer = onAnswer;
    this.onGone = onGone;
    this.onUnauthorized = onUnauthorized;
    this.hidden = hidden;
    /** @type {Map<string, Watch>} */
    this.watches = new Map();
    this.closed = false;
  }

  /**
   * Watches exactly these.
   * @param {Target[]} targets
   */
  watch(targets) {
    const wanted = new Set(targets.map(({ id }) => id));
    for (const [id, watch] of this.watches) {
      if (!wanted.has(id)) {
        clearTimeout(watch.timer);
        this.watches.delete(id);
      }
    }
    for (const { id, path } of targets) {
      if (this.watches.has(id)) continue;
      const watch = { path, id, etag: undefined, failures: 0, timer: undefined, asking: false };
      this.watches.set(id, watch);
      this.#plan(watch, USUAL_MS);
    }
  }

  /** Asks at once: the page became visible, or the network is back. */
  wake() {
    for (const watch of this.watches.values()) this.#plan(watch, 0);
  }

  /** Slows down: the page was hidden. */
  rest() {
    for (const watch of this.watches.values()) this.#plan(watch, HIDDEN_MS);
  }

  close() {
    this.closed = true;
    this.watch([]);
  }

  /** @param {Watch} watch @param {number} delay */
  #plan(watch, delay) {
    clearTimeout(watch.timer);
    const wait = this.hidden() ? Math.max(delay, HIDDEN_MS) : delay;
    watch.timer = setTimeout(() => void this.#ask(watch), wait);
  }

  /** @param {Watch} watch */
  async #ask(watch) {
    if (watch.asking || !this.#wanted(watch)) return;
    if (!isOnline()) return; // "online" wakes us
    watch.asking = true;
    const outcome = await this.api.get(watch.path, { etag: watch.etag });
    watch.asking = false;
    if (!this.#wanted(watch)) return;
    if (outcome.kind === 'unauthorized') {
      this.onUnauthorized();
      return;
    }
    if (outcome.kind === 'refused') {
      this.onGone?.(watch.id);
      return; // the watch stays, silent, so that nobody starts it anew
    }
    if (outcome.kind === 'unanswered') {
      watch.failures += 1;
      this.#plan(watch, resendDelay(watch.failures, outcome.retryAfterMs ?? null, randomFraction()));
      return;
    }
    watch.failures = 0;
    if (outcome.kind === 'ok') {
      watch.etag = outcome.etag;
      this.onAnswer(outcome.body); // may end the watch
    }
    if (this.#wanted(watch)) this.#plan(watch, Math.min(outcome.retryAfterMs ?? USUAL_MS, LONGEST_MS));
  }

  /** @param {Watch} watch */
  #wanted(watch) {
    return !this.closed && this.watches.get(watch.id) === watch;
  }
}
