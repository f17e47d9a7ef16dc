// What a conversation has cost, behind a disclosure in the room's head. It is
// asked for when somebody opens it, and again when a task has ended since.

import { byId, h, show } from './dom.js';
import { formatMoney } from './wording.js';
import { plural } from './text.js';

/** @typedef {import('./types.js').ConversationSpend} ConversationSpend */

export class SpendView {
  /** @param {(conversation: string) => Promise<ConversationSpend|null>} read null: not now */
  constructor(read) {
    this.read = read;
    /** @type {HTMLDetailsElement} */
    this.place = byId('spend');
    this.facts = byId('spend-facts');
    this.conversation = '';
    this.shownFor = '';
    this.place.ontoggle = () => this.#refresh();
  }

  /**
   * @param {string|null} conversation null: there is none yet
   * @param {string} state changes when the sums may have
   */
  follow(conversation, state) {
    show(this.place, conversation !== null);
    if (conversation !== this.conversation) {
      this.conversation = conversation ?? '';
      this.shownFor = '';
      this.place.open = false;
      this.facts.replaceChildren();
    }
    this.state = `${conversation} ${state}`;
    this.#refresh();
  }

  #refresh() {
    const { state, conversation } = this;
    if (!this.place.open || !conversation || !state || state === this.shownFor) return;
    this.shownFor = state;
    void this.read(conversation).then((spend) => {
      if (conversation !== this.conversation) return;
      if (!spend) this.shownFor = ''; // the next opening asks again
      const lines = spend ? spendLines(spend) : [['What it cost', 'cannot be told right now']];
      this.facts.replaceChildren(...lines.map(([label, value]) =>
        h('div', { class: 'fact' }, h('dt', { text: label }), h('dd', { text: value }))));
    });
  }
}

/** @param {ConversationSpend} spend @returns {[string, string][]} */
export function spendLines(spend) {
  const unknown = spend.calls_unknown ? `, ${spend.calls_unknown} with unknown outcome` : '';
  /** @type {[string, string][]} */
  const lines = [
    ['Replies asked for', String(spend.tasks)],
    ['Provider calls', `${plural(spend.calls, 'call')}${unknown}`],
    ['Tokens', `${spend.input_tokens.toLocaleString('en')} in, ${spend.output_tokens.toLocaleString('en')} out`],
  ];
  if (spend.money) lines.push(['Money', formatMoney(spend.money)]);
  if (!spend.complete) lines.push(['Not all', 'older replies are not in these sums']);
  return lines;
}
