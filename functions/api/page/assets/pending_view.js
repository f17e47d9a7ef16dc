// A document or version that is on its way: what goes on, how far a file has got,
// and what the person can do. Shown on the shelf, and in the dialog that began it.

import { linkOf } from './cards.js';
import { button, h, setText, show } from './dom.js';
import { OtherFileError } from './uploads.js';
import { itemText } from './wording.js';

/**
 * @typedef {import('./desk.js').Desk} Desk
 * @typedef {import('./cards.js').Pending} Pending
 */

export class PendingView {
  /**
   * @param {Desk} desk
   * @param {'li'|'div'} tag
   * @param {{onEdit: (entry: Pending) => void, onSignIn: () => void}} actions
   */
  constructor(desk, tag, actions) {
    this.desk = desk;
    this.handlers = actions;
    /** @type {Pending|null} */
    this.entry = null;
    this.title = h('p', { class: 'shelf-title', attributes: { dir: 'auto' } });
    this.state = h('p', { class: 'shelf-state', attributes: tag === 'div' ? { role: 'status' } : {} });
    this.bar = h('progress', { class: 'sent-bar', attributes: { max: '1', 'aria-label': 'Part of the file that has been sent' } });
    this.percent = h('span', { class: 'sent-percent', attributes: { 'aria-hidden': 'true' } });
    this.sent = h('p', { class: 'sent' }, this.bar, this.percent);
    this.error = h('p', { class: 'field-error', attributes: { role: 'alert' } });
    this.actions = h('div', { class: 'shelf-actions' });
    this.input = h('input', { attributes: { type: 'file', hidden: '', 'aria-label': 'The same file' } });
    this.input.addEventListener('change', () => void this.#choose());
    this.element = h(tag, { class: 'shelf-pending' }, this.title, this.state, this.sent, this.error, this.actions, this.input);
  }

  /**
   * @param {Pending} entry
   * @param {import('./cards.js').Circumstances} circumstances
   */
  update(entry, circumstances) {
    this.entry = entry;
    const { item, outcome } = entry;
    const state = itemText(item, outcome, circumstances);
    setText(this.title, item.intent.file?.name ?? item.intent.title ?? this.desk.library.documents.items.get(item.intent.document ?? '')?.title ?? 'New version');
    setText(this.state, `${state.headline} ${state.advice}`.trim());
    const sending = state.name === 'uploading';
    show(this.sent, sending);
    if (sending) this.#showSent(this.desk.uploads.sent.get(item.id));
    const shown = `${state.name} ${mayCancel(item)}`;
    if (this.element.dataset.shown === shown) return;
    this.element.dataset.shown = shown;
    this.element.dataset.state = state.name;
    const focused = this.actions.contains(document.activeElement);
    this.actions.replaceChildren(...this.#buttons(entry, state.name));
    setText(this.error, '');
    if (focused) /** @type {HTMLElement|null} */ (this.actions.querySelector('button'))?.focus();
  }

  /** @param {number|undefined} fraction not known: another tab sends it */
  #showSent(fraction) {
    if (fraction === undefined) {
      this.bar.removeAttribute('value');
      setText(this.percent, '');
      return;
    }
    this.bar.value = fraction;
    setText(this.percent, `${Math.floor(fraction * 100)} %`);
  }

  /** @param {Pending} entry @param {string} state @returns {HTMLElement[]} */
  #buttons(entry, state) {
    const { item, outcome } = entry;
    const dismiss = () => this.desk.outbox.dismiss(item.id, Date.now());
    const cancel = mayCancel(item) ? [button('Cancel upload', dismiss)] : [];
    const link = linkOf(outcome);
    switch (state) {
      case 'unknown':
        return [button('Try again', () => this.desk.sender.tryAgain(item.id)), ...(cancel.length ? cancel : [button('Give up on it', dismiss)])];
      case 'file':
        return [button('Choose the file', () => this.input.click(), 'primary small'), ...cancel];
      case 'signed-out':
        return [button('Sign in again', () => this.handlers.onSignIn()), ...cancel];
      case 'offline':
        return item.attempted ? cancel : [button('Take it back', dismiss)];
      case 'refused':
        return [
          ...(link ? [h('a', { text: 'Show it', attributes: { href: link } })] : []),
          button(item.intent.file ? 'Add it again' : 'Edit', () => this.handlers.onEdit(entry)), button('Dismiss', dismiss),
        ];
      default:
        return cancel;
    }
  }

  async #choose() {
    const file = this.input.files?.[0];
    if (!file || !this.entry) return;
    this.input.value = '';
    const { item } = this.entry;
    try {
      setText(this.error, '');
      await this.desk.uploads.give(item, file);
    } catch (error) {
      setText(this.error, error instanceof OtherFileError
        ? `This is not the file that was being sent. Choose “${item.intent.file?.name}” as it was.`
        : 'The file could not be read. Choose it again.');
    }
  }
}

/**
 * Nothing is added before an upload is completed, so that it can be taken back
 * until then. What is sent in one request may have arrived.
 * @param {import('./types.js').OutboxItem} item
 */
function mayCancel(item) {
  return item.steps[item.at].op === 'put' || item.steps[item.at].op === 'upload';
}
