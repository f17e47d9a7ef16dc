// Brings outbox items to their outcome: sends, waits, sends again, and stops to
// ask the person when the service stays silent.
//
// Tabs share the items. Before a request a tab writes a short lease into the
// item, and the others wait for it. The lease is a courtesy that saves requests,
// not a lock: two tabs that write it at the same moment both send, with the same
// key and the same bytes, and the server makes one task of it.

import { ANSWER_LIMIT_MS } from './api.js';
import { isOnline } from './network.js';
import { newKey, randomFraction } from './random.js';
import { MAX_RESENDS, resendDelay } from './retry.js';
import { freezeCurrentStep, knownIds, resultOf } from './steps.js';

/**
 * @typedef {import('./types.js').OutboxItem} OutboxItem
 * @typedef {import('./types.js').Outcome} Outcome
 * @typedef {import('./types.js').Step} Step
 */

const LEASE_MS = ANSWER_LIMIT_MS + 2000;
// A storage that takes a file and then has none is broken: that is not tried for ever.
const MAX_SETBACKS = 4;

export class Sender {
  /**
   * @param {object} options
   * @param {import('./outbox.js').Outbox} options.outbox
   * @param {import('./api.js').Api} options.api
   * @param {() => boolean} options.mayServe false while signed out
   * @param {() => void} options.onUnauthorized
   * @param {import('./uploads.js').Uploads} options.uploads
   * @param {(item: OutboxItem, step: Step, body: any, result: import('./types.js').StepResult) => void} options.onStep an answer arrived
   */
  constructor({ outbox, api, uploads, mayServe, onUnauthorized, onStep }) {
    this.outbox = outbox;
    this.api = api;
    this.uploads = uploads;
    this.mayServe = mayServe;
    this.onUnauthorized = onUnauthorized;
    this.onStep = onStep;
    // Made anew at each load. A duplicated tab starts with a copy of the
    // session storage, so an id kept there would be shared by two tabs.
    this.tab = newKey();
    /** @type {Map<string, ReturnType<typeof setTimeout>>} */
    this.timers = new Map();
    /** @type {Map<string, AbortController>} */
    this.inFlight = new Map();
    outbox.subscribe(() => this.kick());
  }

  /** Looks at every open item and does, or plans, what is due. */
  kick() {
    const open = this.outbox.open();
    const ids = new Set(open.map((item) => item.id));
    for (const [id, timer] of this.timers) {
      if (!ids.has(id)) this.#cancelTimer(id, timer);
    }
    // A file may still be on its way for an item that was put away.
    for (const [id, controller] of this.inFlight) {
      if (!ids.has(id) && this.uploads.has(id)) controller.abort();
    }
    this.uploads.keepOnly(ids);
    for (const item of open) this.#plan(item);
  }

  /** @param {OutboxItem} item */
  #plan(item) {
    this.#cancelTimer(item.id, this.timers.get(item.id));
    if (item.state === 'unknown' || this.inFlight.has(item.id)) return;
    if (item.state === 'file' && !this.uploads.has(item.id)) return;
    if (!this.mayServe() || !isOnline()) return;
    const now = Date.now();
    const leasedUntil = item.lease && item.lease.tab !== this.tab ? item.lease.until : 0;
    const due = Math.max(item.nextAt, leasedUntil);
    if (due <= now) {
      void this.#send(item.id);
      return;
    }
    this.timers.set(item.id, setTimeout(() => this.kick(), due - now));
  }

  /** @param {string} id @param {ReturnType<typeof setTimeout>|undefined} timer */
  #cancelTimer(id, timer) {
    clearTimeout(timer);
    this.timers.delete(id);
  }

  /** @param {string} id */
  async #send(id) {
    const controller = new AbortController();
    this.inFlight.set(id, controller);
    try {
      // Everything that the request consists of is in storage before it leaves.
      const item = this.outbox.change(id, (stored) => {
        freezeCurrentStep(stored);
        stored.attempted = true;
        stored.lease = { tab: this.tab, until: Date.now() + LEASE_MS };
      });
      if (!item) return;
      const step = item.steps[item.at];
      const outcome = await this.#request(item, step, controller.signal);
      if (controller.signal.aborted) return; // replaced by a newer request
      this.#settle(item, step, outcome);
    } finally {
      // A newer request may have replaced this one after a return from the
      // back/forward cache.
      if (this.inFlight.get(id) === controller) this.inFlight.delete(id);
      this.kick();
    }
  }

  /** @param {OutboxItem} item @param {Step} step @param {AbortSignal} signal */
  #request(item, step, signal) {
    if (step.op === 'put') return this.uploads.send(item, { tab: this.tab, signal });
    return this.api.post(step.path ?? '', step.body ?? '', { key: step.key || undefined, signal });
  }

  /** @param {OutboxItem} item @param {Step} step @param {Outcome} outcome */
  #settle(item, step, outcome) {
    const result = outcome.kind === 'ok' ? resultOf(step.op, outcome.body, outcome.location) : null;
    if (outcome.problem?.code === 'upload_incomplete') {
      this.#sendFileAgain(item);
    } else if (result) {
      this.onStep(item, step, outcome.body, result);
      this.#advance(item, result);
    } else if (outcome.kind === 'refused') {
      this.outbox.finish(item.id, { state: 'refused', at: Date.now(), refusal: refusalOf(outcome, step) });
    } else if (outcome.kind === 'unauthorized') {
      this.outbox.change(item.id, (stored) => { stored.lease = null; });
      this.onUnauthorized();
    } else {
      this.#planResend(item, outcome.retryAfterMs ?? null);
    }
  }

  /** @param {OutboxItem} item @param {import('./types.js').StepResult} result */
  #advance(item, result) {
    if (item.at === item.steps.length - 1) {
      this.outbox.finish(item.id, { state: 'done', at: Date.now(), result: { ...knownIds(item), ...result } });
      return;
    }
    const answered = item.at;
    this.outbox.change(item.id, (stored) => {
      stored.steps[answered].result = result;
      // Another tab may have come further with the same answers.
      stored.at = Math.max(stored.at, answered + 1);
      stored.tries = 0;
      stored.nextAt = 0;
      stored.lease = null;
      stored.state = 'sending';
      freezeCurrentStep(stored);
    });
  }

  /**
   * The file is not there: back to sending it. A page that was reloaded does not
   * have it any more, and only the person can choose it again.
   * @param {OutboxItem} item
   */
  #sendFileAgain(item) {
    if ((item.setbacks ?? 0) >= MAX_SETBACKS) {
      this.outbox.finish(item.id, { state: 'refused', at: Date.now(), refusal: { status: 409, code: 'upload_incomplete', detail: '', location: '', op: 'complete' } });
      return;
    }
    const answered = item.at;
    this.outbox.change(item.id, (stored) => {
      if (stored.at !== answered) return; // another tab got an answer meanwhile
      stored.at = answered - 1;
      stored.lease = null;
      stored.setbacks = (stored.setbacks ?? 0) + 1;
      if (this.uploads.has(item.id)) stored.nextAt = Date.now() + resendDelay(1, null, randomFraction());
      else stored.state = 'file';
    });
  }

  /** @param {OutboxItem} item @param {number|null} retryAfterMs */
  #planResend(item, retryAfterMs) {
    const answered = item.at;
    this.outbox.change(item.id, (stored) => {
      if (stored.at !== answered) return; // another tab got an answer meanwhile
      stored.lease = null;
      // Losing the network is no silence of the service: it costs no try, and
      // the "online" event goes on.
      if (!isOnline()) return;
      stored.tries += 1;
      stored.serverAsked = retryAfterMs !== null;
      if (stored.tries > MAX_RESENDS) stored.state = 'unknown';
      else stored.nextAt = Date.now() + resendDelay(stored.tries, retryAfterMs, randomFraction());
    });
  }

  /**
   * The person's *Try again*: same key, same bytes, six more re-sends.
   * @param {string} id
   */
  tryAgain(id) {
    this.outbox.change(id, (stored) => {
      Object.assign(stored, { state: 'sending', tries: 0, nextAt: 0, lease: null });
    });
  }

  /**
   * Called when the network is back: what waits for our own delay goes at once.
   * A delay that the server asked for is kept.
   */
  hurry() {
    for (const item of this.outbox.open()) {
      if (item.state === 'sending' && !item.serverAsked) this.outbox.change(item.id, (stored) => { stored.nextAt = 0; });
    }
    this.kick();
  }

  /**
   * Called when the page goes away. After a reload the new page need not wait
   * for the lease of a page that is gone. Requests are left alone: most of them
   * still arrive.
   */
  release() {
    for (const id of this.inFlight.keys()) {
      this.outbox.change(id, (stored) => {
        if (stored.lease?.tab === this.tab) stored.lease = null;
      });
    }
  }

  /**
   * Called when the page comes back from the back/forward cache. Requests from
   * before may never report; they are dropped and their items sent again.
   */
  resume() {
    for (const controller of this.inFlight.values()) controller.abort();
    this.inFlight.clear();
    this.kick();
  }

  /** Stops all timers, for the end of a session. */
  close() {
    for (const [id, timer] of this.timers) this.#cancelTimer(id, timer);
    this.mayServe = () => false;
  }
}

/** @param {Outcome} outcome @param {Step} step */
function refusalOf({ status, problem }, step) {
  return {
    status,
    code: problem?.code ?? '',
    detail: problem?.detail ?? problem?.title ?? '',
    location: problem?.location ?? '',
    op: step.op,
  };
}
