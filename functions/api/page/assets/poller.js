// Asks the server about tasks that have not ended. One timer per task; answers
// are cheap (304 while nothing changed), and the server sets the pace.

import { isOnline } from './network.js';
import { randomFraction } from './random.js';
import { resendDelay } from './retry.js';

/**
 * @typedef {import('./types.js').Task} Task
 * @typedef {{conversation: string, id: string, etag: string|undefined, failures: number, timer: ReturnType<typeof setTimeout>|undefined, asking: boolean}} Watch
 */

const USUAL_MS = 1000;
const LONGEST_MS = 30_000;
// A hidden page does not poll for a screen that nobody sees. It looks now and
// then, for as long as a reply is due, so that the title can say it is ready.
const HIDDEN_MS = 20_000;

export class Poller {
  /**
   * @param {object} options
   * @param {import('./api.js').Api} options.api
   * @param {(task: Task) => void} options.onTask
   * @param {() => void} options.onUnauthorized
   * @param {() => boolean} [options.hidden]
   */
  constructor({ api, onTask, onUnauthorized, hidden = () => document.hidden }) {
    this.api = api;
    this.onTask = onTask;
    this.onUnauthorized = onUnauthorized;
    this.hidden = hidden;
    /** @type {Map<string, Watch>} */
    this.watches = new Map();
    this.closed = false;
  }

  /**
   * Watches exactly these tasks.
   * @param {Task[]} tasks
   */
  watch(tasks) {
    const wanted = new Set(tasks.map(({ id }) => id));
    for (const [id, watch] of this.watches) {
      if (!wanted.has(id)) {
        clearTimeout(watch.timer);
        this.watches.delete(id);
      }
    }
    for (const { id, conversation } of tasks) {
      if (this.watches.has(id)) continue;
      const watch = { conversation, id, etag: undefined, failures: 0, timer: undefined, asking: false };
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
    const outcome = await this.api.get(`v1/conversations/${watch.conversation}/tasks/${watch.id}`, { etag: watch.etag });
    watch.asking = false;
    if (!this.#wanted(watch)) return;
    if (outcome.kind === 'unauthorized') {
      this.onUnauthorized();
      return;
    }
    if (outcome.kind === 'refused') {
      return; // gone; the watch stays, silent, so that nobody starts it anew
    }
    if (outcome.kind === 'unanswered') {
      watch.failures += 1;
      this.#plan(watch, resendDelay(watch.failures, outcome.retryAfterMs ?? null, randomFraction()));
      return;
    }
    watch.failures = 0;
    if (outcome.kind === 'ok') {
      watch.etag = outcome.etag;
      this.onTask(outcome.body); // may end the watch
    }
    if (this.#wanted(watch)) this.#plan(watch, Math.min(outcome.retryAfterMs ?? USUAL_MS, LONGEST_MS));
  }

  /** @param {Watch} watch */
  #wanted(watch) {
    return !this.closed && this.watches.get(watch.id) === watch;
  }
}
