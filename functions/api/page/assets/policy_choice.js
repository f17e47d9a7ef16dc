// What shall follow a call whose end nobody saw: a choice for the next questions,
// behind a disclosure. It is written into a request only when it differs from
// what the service does by itself, and is then a part of the exact body.

import { byId, setText, show } from './dom.js';

/** In the summary, for each policy. @type {Record<string, string>} */
const SHORT = { retry: 'ask again', stop: 'stop and tell me' };

export class PolicyChoice {
  /**
   * @param {{default: string, allowed: string[]}} [policies] as /config.json tells them
   */
  constructor({ default: byDefault, allowed } = { default: 'retry', allowed: [] }) {
    this.byDefault = byDefault;
    this.chosen = byDefault;
    this.place = byId('on-unknown');
    this.now = byId('on-unknown-now');
    show(this.place, allowed.length > 1);
    for (const button of this.place.querySelectorAll('input')) {
      button.disabled = !allowed.includes(button.value);
      button.checked = button.value === byDefault;
      button.addEventListener('change', () => this.#choose(button.value));
    }
    this.#choose(byDefault);
  }

  /** @param {string} policy */
  #choose(policy) {
    this.chosen = policy;
    setText(this.now, SHORT[policy] ?? policy);
  }

  /** What a request shall name; undefined: nothing. @returns {string|undefined} */
  get named() {
    return this.chosen === this.byDefault ? undefined : this.chosen;
  }
}
