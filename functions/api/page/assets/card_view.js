// One card on the page. The elements are made once and then kept up to date, so
// that focus, selection and opened disclosures survive every poll.

import { arrange, button, h, setText, show, stateMark } from './dom.js';
import { formatElapsed, formatMoment } from './text.js';
import { COST_NOTE, spendFacts } from './wording.js';

/**
 * @typedef {import('./cards.js').Card} Card
 * @typedef {import('./cards.js').CardAction} CardAction
 * @typedef {import('./types.js').Task} Task
 */

/**
 * What a card needs from its surroundings.
 * @typedef {object} CardHost
 * @property {(action: CardAction|'notify', card: Card) => void} act
 * @property {(card: Card) => string} note a passing remark, such as "Stopping"
 * @property {(card: Card) => boolean} mayNotify whether to offer a notification
 * @property {(card: Card) => void} read shows the version that the card is about
 * @property {() => number} clockOffset server clock minus ours, in ms
 */

// Shorter waits need no number, and a counting clock makes them feel long.
const ELAPSED_FROM_MS = 5000;
const LONG_QUESTION = 700;

/** @type {Record<CardAction, string>} */
const LABELS = {
  'stop': 'Stop',
  'regenerate': 'Regenerate',
  'ask-again': 'Ask again',
  'edit': 'Edit and ask again',
  'try-again': 'Try again',
  'give-up': 'Give up on it',
  'dismiss': 'Dismiss',
  'show-earlier': 'Show earlier questions',
  'sign-in': 'Sign in again',
};
const PRIMARY = new Set(['try-again', 'sign-in']);

let counter = 0;

export class CardView {
  /** @param {CardHost} host */
  constructor(host) {
    this.host = host;
    /** @type {Card|null} */
    this.card = null;
    counter += 1;
    const questionId = `question-${counter}`;
    this.question = h('h2', { class: 'card-question', attributes: { id: questionId, dir: 'auto', tabindex: '-1' } });
    this.more = button('Show the whole question', () => this.#unfold(), 'link');
    this.asked = h('span');
    this.version = button('', () => this.card && this.host.read(this.card), 'link');
    this.meta = h('p', { class: 'card-meta' }, this.asked, this.version);
    this.replies = h('div', { class: 'replies' });
    this.headline = h('span', { class: 'headline' });
    this.elapsed = h('span', { class: 'elapsed' });
    this.advice = h('p', { class: 'advice' });
    this.link = h('a', { class: 'card-link', text: 'Show what became of it' });
    this.note = h('p', { class: 'card-note' });
    this.buttons = h('div', { class: 'card-buttons' });
    this.cost = h('p', { class: 'cost', text: COST_NOTE, attributes: { id: `cost-${counter}` } });
    this.facts = h('dl', { class: 'facts' });
    this.details = h('details', { class: 'card-details' }, h('summary', { text: 'Details' }), this.facts);
    /** @type {Map<string, HTMLButtonElement>} */
    this.buttonFor = new Map();
    /** @type {Map<string, HTMLElement>} */
    this.replyFor = new Map();
    const state = h('div', { class: 'state' }, h('p', { class: 'state-line' }, this.headline, this.elapsed), this.advice, this.link, this.note);
    state.prepend(stateMark());
    this.element = h('article', { class: 'card', attributes: { 'aria-labelledby': questionId } },
      h('header', { class: 'card-head' }, this.question, this.more, this.meta),
      h('div', { class: 'place' }, this.replies, state),
      h('footer', { class: 'card-foot' }, this.buttons, this.cost, this.details));
  }

  #unfold() {
    this.question.classList.remove('folded');
    show(this.more, false);
    this.question.focus();
  }

  /** @param {Card} card */
  update(card) {
    const first = this.card === null;
    this.card = card;
    this.element.dataset.state = card.state.name;
    setText(this.question, card.question || 'A reply to an earlier question');
    if (first) {
      const long = card.question.length > LONG_QUESTION || card.question.split('\n').length > 10;
      this.question.classList.toggle('folded', long);
      show(this.more, long);
    }
    setText(this.asked, metaText(card));
    setText(this.version, `version ${card.version}`);
    show(this.version, card.version !== '' && card.readable);
    this.#updateReplies(card);
    setText(this.headline, headlineText(card));
    setText(this.advice, adviceText(card));
    show(this.advice, this.advice.textContent !== '');
    show(this.link, card.link !== null);
    if (card.link) this.link.setAttribute('href', card.link);
    const note = this.host.note(card);
    setText(this.note, note);
    show(this.note, note !== '');
    this.#updateButtons(card);
    this.#updateFacts(card);
    this.tick();
  }

  /** Older replies fold away; the newest one is what the card shows. @param {Card} card */
  #updateReplies({ replies }) {
    const wanted = replies.map((task, index) => {
      const newest = index === replies.length - 1;
      const label = `Reply ${index + 1} of ${replies.length}, saved ${formatMoment(task.ended_at ?? task.created_at, Date.now())}`;
      const known = this.replyFor.get(task.id);
      if (known?.dataset.newest === String(newest)) {
        setText(known.querySelector('.reply-label') ?? known, label);
        show(/** @type {HTMLElement} */ (known.querySelector('.reply-label')), replies.length > 1);
        return known;
      }
      const element = replyElement(task, label, newest, replies.length > 1);
      this.replyFor.set(task.id, element);
      return element;
    });
    arrange(this.replies, wanted);
    show(this.replies, wanted.length > 0);
  }

  /** @param {Card} card */
  #updateButtons(card) {
    /** @type {(CardAction|'notify')[]} */
    const actions = [...card.actions];
    if (card.actions.includes('stop') && this.host.mayNotify(card)) actions.push('notify');
    const focused = this.buttons.contains(document.activeElement);
    arrange(this.buttons, actions.map((action) => this.#button(action, card)));
    // A button that goes away takes the focus with it. It moves to the question
    // and not to the next button, where a second press would ask for more.
    if (focused && !this.buttons.contains(document.activeElement)) this.question.focus({ preventScroll: true });
    const costly = actions.includes('regenerate') || actions.includes('ask-again');
    show(this.cost, costly);
    show(this.buttons, actions.length > 0);
    const stop = this.buttonFor.get('stop');
    // Not `disabled`, which would drop the focus; a second press does nothing.
    stop?.setAttribute('aria-disabled', String(this.host.note(card).startsWith('Stopping')));
  }

  /** @param {CardAction|'notify'} action @param {Card} card */
  #button(action, card) {
    const known = this.buttonFor.get(action);
    const label = labelOf(action, card);
    if (known) {
      setText(known, label);
      return known;
    }
    const made = button(label, () => this.card && this.host.act(action, this.card), PRIMARY.has(action) ? 'primary small' : 'quiet small');
    made.dataset.action = action;
    if (action === 'regenerate' || action === 'ask-again') made.setAttribute('aria-describedby', this.cost.id);
    this.buttonFor.set(action, made);
    return made;
  }

  /** @param {Card} card */
  #updateFacts(card) {
    const facts = card.tasks.flatMap((task, index) => taskFacts(task, index, card));
    show(this.details, facts.length > 0);
    const text = JSON.stringify(facts);
    if (this.facts.dataset.shown === text) return;
    this.facts.dataset.shown = text;
    this.facts.replaceChildren(...facts.map(([label, value]) =>
      h('div', { class: value === '' ? 'fact-heading' : 'fact' }, h('dt', { text: label }), h('dd', { text: value, attributes: { dir: 'auto' } }))));
  }

  /** Moves the clocks; called once a second while the card waits. */
  tick() {
    const card = this.card;
    if (!card) return;
    const now = Date.now();
    const passed = card.local ? now - card.since : now + this.host.clockOffset() - card.since;
    const parts = [];
    if (card.busy && card.since > 0 && passed >= ELAPSED_FROM_MS) parts.push(formatElapsed(passed));
    const left = (card.state.until ?? 0) - (card.local ? now : now + this.host.clockOffset());
    if (card.state.until && left > 0) parts.push(`next try in ${formatElapsed(left + 999)}`);
    setText(this.elapsed, parts.join(', '));
  }
}

/** @param {Task} task @param {string} label @param {boolean} newest @param {boolean} several */
function replyElement(task, label, newest, several) {
  // Blank lines part paragraphs; everything else is shown as it was saved.
  const paragraphs = (task.reply?.text ?? '').split(/\n{2,}/).map((text) => h('p', { text, attributes: { dir: 'auto' } }));
  const text = h('div', { class: 'reply-text' }, ...paragraphs);
  const element = newest
    ? h('div', { class: 'reply' }, h('p', { class: 'reply-label', text: label }), text)
    : h('details', { class: 'reply-older' }, h('summary', { class: 'reply-label', text: label }), text);
  show(/** @type {HTMLElement} */ (element.querySelector('.reply-label')), several);
  element.dataset.newest = String(newest);
  return element;
}

/** @param {Card} card */
function metaText(card) {
  const asked = `Asked ${formatMoment(card.askedAt, Date.now())}`;
  if (card.version === '') return asked;
  return card.readable ? `${asked} about ` : `${asked} about version ${card.version}`;
}

/** @param {Card} card */
function headlineText({ state, task, replies }) {
  if (state.name !== 'saved' || !task || replies.length > 1) return state.headline;
  return `Saved at ${formatMoment(task.ended_at ?? task.created_at, Date.now())}.`;
}

/** @param {Card} card */
function adviceText({ state, task }) {
  if (state.name !== 'saved' || !task?.reply) return state.advice;
  const remarks = [];
  if (task.reply.cut_short) remarks.push('The provider cut this reply short.');
  if (!task.reply.language_model) remarks.push('Made of sentences from the document; no language model took part.');
  return remarks.join(' ');
}

/** @param {CardAction|'notify'} action @param {Card} card */
function labelOf(action, card) {
  if (action === 'notify') return 'Tell me when it is ready';
  if (action === 'give-up' && card.state.name === 'offline') return 'Take it back';
  return LABELS[action];
}

/**
 * @param {Task} task
 * @param {number} index
 * @param {Card} card
 * @returns {[string, string][]}
 */
function taskFacts(task, index, card) {
  /** @type {[string, string][]} */
  const facts = card.tasks.length > 1 ? [[`Task ${index + 1} of ${card.tasks.length}`, '']] : [];
  facts.push(...spendFacts(task));
  if (card.version) facts.push(['Document version', card.version]);
  if (task.reply) facts.push(['Made by', task.reply.model ? `${task.reply.provider}, ${task.reply.model}` : task.reply.provider]);
  facts.push(['Task', task.id]);
  return facts;
}
