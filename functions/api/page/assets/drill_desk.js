// The page's side of the failure drills: the list, the run that is watched, and
// what its drills came to. A run belongs to the service and not to a tab, so a
// reload, or another tab, finds it by its number and goes on watching.

import { Api } from './api.js';
import { TROUBLE } from './drill_words.js';
import { randomFraction } from './random.js';
import { resendDelay } from './retry.js';

/**
 * @typedef {import('./drill_model.js').Timeline} Timeline
 * @typedef {object} Drill
 * @property {string} id
 * @property {string} name
 * @property {string} happens
 * @property {string} must_see
 * @property {string[]} promises
 * @property {string[]} acts
 * @property {boolean} playable
 * @property {string} why_not
 */

/**
 * @typedef {object} Act
 * @property {string} [title]
 * @property {boolean} passed
 * @property {string} expected
 * @property {string} shown
 * @property {string} told
 * @property {number} calls
 * @property {number} replies
 * @property {number} refused writes and claims
 * @property {number} [refused_claims] of these
 * @property {number} seconds
 * @property {string[]} [deviations]
 * @property {string[]} [findings]
 * @property {{id: string, title: string, verdict: string, cases: number}[]} [promises] with everything
 * @property {{task: string, question: string}[]|null} [seen] with everything
 * @property {Timeline} [timeline] with everything
 */

/**
 * @typedef {{id: string, name: string, status: 'passed'|'failed'|'not_played', seconds: number, acts: Act[], skipped?: string[]}} Ended
 * @typedef {{drill: string, act: string, timeline: Timeline}} Playing
 */

/**
 * @typedef {object} RunView
 * @property {string} run
 * @property {number} version
 * @property {'starting'|'playing'|'done'|'stopped'|'failed'} state
 * @property {string} progress
 * @property {string} error
 * @property {string} broken
 * @property {string[]} wanted
 * @property {Playing|null} playing
 * @property {Ended[]} drills
 */

/**
 * @typedef {object} Result
 * @property {string} run
 * @property {string} broken
 * @property {Ended} ended
 * @property {boolean} over nothing more of it is played in this run
 * @property {boolean} [whole] with timelines and promises
 * @property {boolean} [loading]
 * @property {boolean} [lost] the service no longer has the timelines
 */

const ROOT = 'local/drills';

/** @param {RunView|null} run */
export function underWay(run) {
  return run !== null && (run.state === 'starting' || run.state === 'playing');
}

export class DrillDesk {
  /**
   * @param {object} options
   * @param {string} options.base
   * @param {() => void} options.onChange
   * @param {(result: Result) => void} options.onEnded a drill that was watched has ended
   * @param {(run: RunView) => void} options.onOver a run that was watched is over
   */
  constructor({ base, onChange, onEnded, onOver }) {
    this.api = new Api({ base, token: () => null });
    this.onChange = onChange;
    this.onEnded = onEnded;
    this.onOver = onOver;
    /** @type {Drill[]} */
    this.drills = [];
    /** @type {{name: string, rule: string, what: string, drill: string}[]} */
    this.breaks = [];
    /** @type {RunView|null} */
    this.run = null;
    /** What drills came to, the newest of each. @type {Map<string, Result>} */
    this.results = new Map();
    this.trouble = '';
    this.notice = '';
    /** A button was pressed and is not answered. */
    this.asking = false;
    this.active = false;
    /** Number of the run that was told to stop. */
    this.stopping = '';
    this.failures = 0;
    /** @type {AbortController|null} */
    this.polling = null;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
    document.addEventListener('visibilitychange', () => this.#pace());
  }

  /** Whether the service has drills at all. @returns {Promise<boolean>} */
  async load() {
    const outcome = await this.api.get(ROOT);
    if (outcome.kind !== 'ok') return false;
    this.drills = outcome.body.drills ?? [];
    this.breaks = outcome.body.breaks ?? [];
    return true;
  }

  /** The drills are on the screen. */
  enter() {
    if (this.active) return;
    this.active = true;
    this.#pace();
  }

  /** They are not. The run goes on by itself. */
  leave() {
    this.active = false;
    this.#pace();
  }

  /** Watches while somebody looks, and only then. */
  #pace() {
    if (!this.active || document.hidden) {
      clearTimeout(this.timer);
      this.timer = undefined;
      this.polling?.abort();
      this.polling = null;
      return;
    }
    if (!this.polling && this.timer === undefined) void this.#watch();
  }

  async #watch() {
    const mine = new AbortController();
    this.polling = mine;
    for (let first = true; this.polling === mine; first = false) {
      // Between runs there is nothing to wait for. What another tab has started
      // is found when somebody comes back here, or presses a button.
      if (!first && this.run && !underWay(this.run)) break;
      const outcome = this.run && underWay(this.run)
        ? await this.api.get(`${ROOT}/runs/${this.run.run}?after=${this.run.version}`, { signal: mine.signal })
        : await this.#find(mine.signal);
      if (this.polling !== mine) return;
      if (!outcome) break;
      if (outcome.kind === 'unanswered') {
        this.#tryAgain(outcome.retryAfterMs ?? null);
        return;
      }
      this.failures = 0;
      if (outcome.kind !== 'ok') {
        this.#forget();
        break;
      }
      this.#take(outcome.body);
    }
    if (this.polling === mine) this.polling = null;
  }

  /** The run that is under way, or the last one. @param {AbortSignal} signal */
  async #find(signal) {
    const list = await this.api.get(ROOT, { signal });
    if (list.kind !== 'ok') return list;
    if (this.trouble === TROUBLE.silent) this.#say('');
    return list.body.run ? this.api.get(`${ROOT}/runs/${list.body.run}`, { signal }) : null;
  }

  /** @param {number|null} retryAfterMs */
  #tryAgain(retryAfterMs) {
    this.polling = null;
    this.failures += 1;
    // A single cut connection is nothing to tell anybody about.
    if (this.failures > 1) this.#say(TROUBLE.silent);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.#pace();
    }, Math.min(resendDelay(this.failures, retryAfterMs, randomFraction()), 5000));
  }

  /** The service no longer knows the run. */
  #forget() {
    this.run = null;
    this.#outlive();
    this.#say(TROUBLE.gone);
  }

  /** A service that was started anew counts its runs from 1 again. */
  #outlive() {
    for (const result of this.results.values()) {
      result.run = `earlier/${result.run}`;
      result.lost = !result.whole;
      result.whole = true;
    }
  }

  /** @param {string} trouble */
  #say(trouble) {
    this.trouble = trouble;
    this.onChange();
  }

  /** @param {RunView} view */
  #take(view) {
    const before = this.run?.run === view.run ? this.run : null;
    const watched = before !== null && underWay(before);
    this.run = view;
    this.trouble = '';
    if (!underWay(view)) this.notice = '';
    for (const ended of view.drills) {
      const known = this.results.get(ended.id);
      const over = !underWay(view) || this.#whole(ended);
      if (known?.run === view.run && known.ended.acts.length === ended.acts.length && known.over === over) continue;
      /** @type {Result} */
      const result = { run: view.run, broken: view.broken, ended, over };
      this.results.set(ended.id, result);
      if (watched && over) this.onEnded(result);
    }
    if (watched && !underWay(view)) this.onOver(view);
    this.onChange();
  }

  /** Whether all scripts of a drill were played. @param {Ended} ended */
  #whole({ id, acts, skipped = [] }) {
    const listed = this.drills.find((drill) => drill.id === id)?.acts.length ?? 0;
    return acts.length + skipped.length >= Math.max(listed, 1);
  }

  /**
   * @param {string[]} ids empty: all
   * @param {string} [broken]
   */
  async play(ids, broken = '') {
    if (this.asking) return;
    this.asking = true;
    this.notice = '';
    this.onChange();
    /** @type {Record<string, any>} */
    const body = ids.length > 0 ? { drills: ids } : {};
    if (broken) body.broken = broken;
    const outcome = await this.api.post(`${ROOT}/runs`, JSON.stringify(body));
    this.asking = false;
    if (outcome.kind === 'ok') {
      if ([...this.results.values()].some(({ run }) => run === outcome.body.run)) this.#outlive();
      this.run = { run: outcome.body.run, version: -1, state: 'starting', progress: '', error: '', broken, wanted: ids, playing: null, drills: [] };
      this.trouble = '';
    } else if (outcome.problem?.code === 'in_progress') {
      this.notice = TROUBLE.joined;
      this.run = null; // found anew, with its number
    } else {
      this.trouble = outcome.problem?.detail ?? TROUBLE.silent;
      if (outcome.kind === 'unanswered') this.run = null; // it may have begun
    }
    this.polling?.abort();
    this.polling = null;
    this.onChange();
    this.#pace();
  }

  async stop() {
    if (!this.run || this.asking) return;
    this.asking = true;
    this.onChange();
    const outcome = await this.api.delete(`${ROOT}/runs/${this.run.run}`);
    this.asking = false;
    this.stopping = outcome.kind === 'ok' ? this.run?.run ?? '' : '';
    if (outcome.kind === 'unanswered') this.trouble = TROUBLE.silent;
    this.onChange();
  }

  /** Whether the present run was told to stop and has not yet. */
  get isStopping() {
    return underWay(this.run) && this.stopping === this.run?.run;
  }

  /**
   * Loads what a drill came to, with timelines and promises.
   * @param {string} id
   */
  async complete(id) {
    const result = this.results.get(id);
    if (!result || result.whole || result.loading) return;
    result.loading = true;
    const outcome = await this.api.get(`${ROOT}/runs/${result.run}/drills/${id}`);
    result.loading = false;
    if (outcome.kind === 'ok') {
      result.ended = outcome.body;
      result.whole = true;
    } else if (outcome.kind !== 'unanswered') {
      result.lost = true;
      result.whole = true; // there is no more
    } else {
      return; // the next change of anything asks again
    }
    this.onChange();
  }
}
