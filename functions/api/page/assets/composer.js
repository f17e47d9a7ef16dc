// The question box. Focus stays in it after Send, so that the next question can
// be typed at once.

import { byId, setText, show } from './dom.js';
import { PolicyChoice } from './policy_choice.js';
import { byteLength, formatBytes } from './text.js';

export class Composer {
  /**
   * @param {object} options
   * @param {number} options.limit bytes
   * @param {{default: string, allowed: string[]}} [options.policies]
   * @param {(text: string) => boolean} options.onSend false: not now, keep the text
   */
  constructor({ limit, policies, onSend }) {
    this.limit = limit;
    this.policy = new PolicyChoice(policies);
    this.onSend = onSend;
    /** @type {HTMLFormElement} */
    this.form = byId('composer');
    /** @type {HTMLTextAreaElement} */
    this.box = byId('question');
    this.size = byId('composer-size');
    this.hint = byId('composer-keys');
    this.usualHint = this.hint.textContent ?? '';
    /** Drafts by place, while the page lives. @type {Map<string, string>} */
    this.drafts = new Map();
    this.place = '';
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#send();
    });
    this.box.addEventListener('keydown', (event) => this.#key(event));
    this.box.addEventListener('input', () => this.#changed());
  }

  /** The policy that the next question shall name; undefined: none. */
  get onUnknown() {
    return this.policy.named;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    // While an input method composes, Enter picks a candidate; Safari reports
    // it after the composition with the key code 229.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    if (!event.repeat) this.#send();
  }

  #send() {
    const text = this.box.value;
    this.box.focus();
    // A second click of a double click finds the box empty and does nothing.
    if (text.trim() === '' || byteLength(text) > this.limit) return;
    if (!this.onSend(text)) return;
    this.box.value = '';
    this.#changed();
  }

  /** Sends a question that had to wait, if it is still what the box says. @param {string} text */
  submit(text) {
    if (this.box.value === text) this.#send();
  }

  #changed() {
    const bytes = byteLength(this.box.value);
    const over = bytes - this.limit;
    this.box.setAttribute('aria-invalid', String(over > 0));
    const close = bytes > this.limit * 0.8;
    setText(this.size, over > 0 ? `${formatBytes(over)} too long.` : close ? `${formatBytes(-over)} left.` : '');
    this.hint.textContent = this.usualHint;
    // Browsers without field-sizing keep a box that scrolls.
    if (!CSS.supports('field-sizing', 'content')) this.box.rows = Math.min(8, this.box.value.split('\n').length);
  }

  /** Says why a question cannot go out this moment. @param {string} text */
  explain(text) {
    setText(this.hint, text);
  }

  /**
   * Changes to the draft of another place.
   * @param {string} place
   * @param {boolean} [carry] whether the present draft comes along
   */
  moveTo(place, carry = false) {
    if (place === this.place) return;
    this.drafts.set(this.place, carry ? '' : this.box.value);
    if (!carry) this.box.value = this.drafts.get(place) ?? '';
    this.place = place;
    this.#changed();
  }

  /** @param {string} place where the draft will be found @param {string} text */
  setDraft(place, text) {
    this.drafts.set(place, text);
  }

  /**
   * Puts a question into the box for editing. A draft that is there stays.
   * @param {string} text
   */
  edit(text) {
    const draft = this.box.value.trim();
    this.box.value = draft ? `${text}\n\n${draft}` : text;
    this.#changed();
    this.box.focus();
    this.box.setSelectionRange(text.length, text.length);
  }

  focus() {
    this.box.focus();
  }

  /** @param {boolean} shown */
  show(shown) {
    show(this.form, shown);
  }
}
