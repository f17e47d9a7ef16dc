// A conversation with a document: the cards in order, the version in use, and
// the question box below.

import { buildCards } from './cards.js';
import { CardView } from './card_view.js';
import { arrange, byId, setText, show } from './dom.js';
import { hasEnded } from './model.js';
import { RoomHead } from './room_head.js';
import { SpendView } from './spend_view.js';
import { knownIds } from './steps.js';
import { shorten } from './text.js';
import { stateOf } from './versions.js';

/**
 * @typedef {import('./desk.js').Desk} Desk
 * @typedef {import('./cards.js').Card} Card
 * @typedef {import('./cards.js').Pending} Pending
 * @typedef {import('./router.js').Route} Route
 */

/**
 * What the room shows: a conversation, a document before its first question, or
 * a question whose conversation is still being opened.
 * @typedef {{conversation: string|null, document: string|null, item: string|null}} Place
 */

// Space above a card that is moved to the top of the view, in pixels.
const MARGIN = 16;

export class RoomView {
  /**
   * @param {object} options
   * @param {Desk} options.desk
   * @param {import('./announcer.js').Announcer} options.announcer
   * @param {import('./composer.js').Composer} options.composer
   * @param {() => void} options.onSignIn
   * @param {(document: string, version: number) => void} options.onRead
   * @param {(document: string|undefined, text: string) => void} options.onAbandon the question that the room was for is put away
   */
  constructor({ desk, announcer, composer, onSignIn, onRead, onAbandon }) {
    this.desk = desk;
    this.announcer = announcer;
    this.composer = composer;
    this.onSignIn = onSignIn;
    this.onAbandon = onAbandon;
    /** @type {Place} */
    this.place = { conversation: null, document: null, item: null };
    /** @type {Map<string, CardView>} */
    this.views = new Map();
    /** @type {HTMLElement} */
    this.cards = byId('cards');
    /** @type {HTMLElement} */
    this.scroll = byId('thread-scroll');
    this.trouble = '';
    this.missing = false;
    this.stickToEnd = true;
    /** Done when what the room shows has been read. @type {Promise<void>} */
    this.refreshed = Promise.resolve();
    /** Items that ended in another tab, until this page knows their task. @type {Set<string>} */
    this.catchingUp = new Set();
    this.scroll.onscroll = () => { this.stickToEnd = this.#atEnd(); };
    // A window that becomes narrower, or a reply that comes in, moves the end.
    this.resizes = new ResizeObserver(() => this.#keepAtEnd());
    this.resizes.observe(this.scroll);
    this.resizes.observe(this.cards);
    byId('earlier').onclick = () => void this.#earlier();
    this.spend = new SpendView((id) => this.desk.spend(id));
    this.head = new RoomHead((version) => {
      if (this.place.document) desk.library.showVersion(this.place.document, version);
    });
    /** @type {import('./card_view.js').CardHost} */
    this.host = {
      act: (action, card) => this.#act(action, card),
      note: (card) => (card.task && card.busy ? desk.stopping.get(card.task.id) ?? '' : ''),
      read: (card) => { if (this.place.document) onRead(this.place.document, Number(card.version)); },
      mayNotify: () => desk.attention.canAsk(),
      clockOffset: () => desk.api.clockOffsetMs,
    };
  }

  /**
   * @param {Place} place
   * @param {boolean} follows the same question goes on at another address
   */
  enter(place, follows) {
    if (!follows) {
      for (const view of this.views.values()) view.element.remove();
      this.views.clear();
    }
    this.place = place;
    this.trouble = '';
    this.missing = false;
    this.stickToEnd = true;
    this.refresh();
  }

  /** Reads what the room shows; again when the page comes back into view. */
  refresh() {
    this.refreshed = this.#read();
  }

  async #read() {
    const { place } = this;
    if (place.conversation) {
      const found = await this.desk.readConversation(place.conversation, { onTrouble: () => this.#say('No answer from the service. Trying again by itself.') });
      if (this.place !== place) return;
      this.missing = !found;
      this.#say('');
      place.document ??= this.desk.model(place.conversation).info?.document ?? null;
    }
    if (place.document && !this.#deleted()) {
      const document = await this.desk.library.loadDocument(place.document);
      if (this.place !== place) return;
      // What was asked about a document that was deleted since can still be read.
      this.missing ||= document === null && !place.conversation;
    }
    this.desk.changed();
  }

  /** @param {string} text */
  #say(text) {
    this.trouble = text;
    this.desk.changed();
  }

  /** The document in use, and the version of it that the page shows. */
  current() {
    const id = this.place.document;
    return { document: id, version: id ? this.desk.library.shown.get(id) ?? null : null };
  }

  /** Whether the document of the room was deleted. */
  #deleted() {
    const { conversation, document } = this.place;
    const told = conversation ? this.desk.models.get(conversation)?.info?.document_deleted : false;
    return Boolean(told || (document && this.desk.library.deleted.has(document)));
  }

  /** What the cards have to know of the document. */
  #documentState() {
    const info = this.desk.library.documents.items.get(this.place.document ?? '');
    const indexing = (info?.versions ?? []).filter((version) => stateOf(version) === 'indexing').map(({ version }) => version);
    return { deleted: this.#deleted(), indexing };
  }

  /** Pending items that belong here. @returns {Pending[]} */
  #pending() {
    const { conversation, document, item: itemId } = this.place;
    return this.desk.outbox.visible().filter(({ item }) => {
      const known = knownIds(item);
      if (itemId) return item.id === itemId;
      if (conversation) return known.conversation === conversation;
      return item.kind === 'ask' && known.document === document && !known.conversation;
    });
  }

  /** @param {import('./cards.js').Circumstances} circumstances */
  render(circumstances) {
    const { conversation } = this.place;
    const model = conversation ? this.desk.model(conversation) : null;
    const cards = this.missing ? [] : buildCards(model, this.#pending(), { ...circumstances, ...this.#documentState() }, this.desk.settled());
    const ready = !conversation || Boolean(model?.loaded);
    this.#reuseSentCards(cards);
    const elements = cards.map((card) => this.#show(card, ready).element);
    const keys = new Set(cards.map(({ key }) => key));
    for (const [key, view] of this.views) {
      if (keys.has(key)) continue;
      if (this.#isCatchingUp(key)) elements.push(view.element);
      else this.views.delete(key);
    }
    arrange(this.cards, elements);
    this.head.render(this.#headState(model));
    const ended = cards.flatMap((card) => card.tasks).filter(hasEnded).length;
    this.spend.follow(this.missing ? null : conversation ?? null, String(ended));
    this.desk.attention.setTitle(`${this.head.title} · replyonce`);
    show(byId('earlier'), Boolean(model?.older));
    const note = this.trouble || this.#emptyNote(cards.length, ready);
    setText(byId('thread-note'), note);
    show(byId('thread-note'), note !== '');
    this.composer.show(!this.missing && !this.#deleted());
    this.#keepAtEnd();
  }

  /** The end of the thread, or the start of a last card that is taller than the view. */
  #keepAtEnd() {
    if (!this.stickToEnd) return;
    const last = /** @type {HTMLElement|null} */ (this.cards.lastElementChild);
    const tall = last !== null && last.offsetHeight > this.scroll.clientHeight - MARGIN;
    this.scroll.scrollTop = tall ? last.offsetTop - this.scroll.offsetTop - MARGIN : this.scroll.scrollHeight;
  }

  /** Called when the session ends; another room will take the elements over. */
  close() {
    this.resizes.disconnect();
    this.cards.replaceChildren();
  }

  /**
   * A question that was just accepted keeps its card: the element, and with it
   * focus and position, goes over to the message that it became.
   * @param {Card[]} cards
   */
  #reuseSentCards(cards) {
    const keys = new Set(cards.map(({ key }) => key));
    for (const [key, view] of this.views) {
      const itemId = key.startsWith('item:') && !keys.has(key) ? key.slice(5) : null;
      if (!itemId) continue;
      const message = this.desk.outbox.read(itemId).outcome?.result?.message;
      if (message && keys.has(message) && !this.views.has(message)) {
        this.views.delete(key);
        this.views.set(message, view);
        this.announcer.renamed(key, message);
      } else if (message && !keys.has(message) && this.place.conversation && !this.catchingUp.has(itemId)) {
        // Another tab was faster, and this one has yet to read what came of it.
        // Its card stays until then: a card that vanishes looks like a loss.
        this.catchingUp.add(itemId);
        void this.desk.readConversation(this.place.conversation, { force: true }).then(() => {
          this.catchingUp.delete(itemId);
          this.views.delete(key);
          this.desk.changed();
        });
      }
    }
  }

  /** @param {string} key */
  #isCatchingUp(key) {
    return key.startsWith('item:') && this.catchingUp.has(key.slice(5));
  }

  /** @param {Card} card @param {boolean} ready */
  #show(card, ready) {
    let view = this.views.get(card.key);
    const isNew = !view;
    if (!view) {
      view = new CardView(this.host);
      this.views.set(card.key, view);
    }
    view.update(card);
    this.#announce(card, isNew && !(ready && card.itemId && this.desk.own.has(card.itemId)));
    return view;
  }

  /**
   * Says what changed while the person was here. The state includes the number
   * of attempts but no clock, so that counting seconds stays silent.
   * @param {Card} card
   * @param {boolean} history
   */
  #announce(card, history) {
    const state = [card.state.name, card.state.headline, card.task?.assignment_version ?? 0].join('/');
    if (history) this.announcer.seen(card.key, state);
    else this.announcer.changed(card.key, state, `${card.state.headline} ${card.state.name === 'saved' ? `Reply to: ${shorten(card.question, 60)}` : card.state.advice}`.trim());
  }

  /** @param {import('./model.js').ConversationModel|null} model @returns {import('./room_head.js').HeadState} */
  #headState(model) {
    const { document, version } = this.current();
    const info = document ? this.desk.library.documents.items.get(document) : undefined;
    const pending = this.place.item ? this.desk.outbox.read(this.place.item).item : null;
    return {
      missing: this.missing || (this.#deleted() && !this.place.conversation && !this.place.item),
      deleted: this.#deleted(),
      question: model?.info?.title ?? (pending ? shorten(pending.intent.text ?? '', 80) : ''),
      documentTitle: info?.title ?? pending?.intent.title ?? '',
      info: info ?? null,
      version,
    };
  }

  /** @param {number} count @param {boolean} ready */
  #emptyNote(count, ready) {
    if (this.missing || count > 0) return '';
    if (!ready) return 'Loading.';
    if (this.place.item) return 'This question is not in this browser any more.';
    return this.place.conversation ? 'Nothing has been asked here yet.' : 'Your first question starts a conversation with this document.';
  }

  #atEnd() {
    return this.scroll.scrollHeight - this.scroll.scrollTop - this.scroll.clientHeight < 80;
  }

  /** Puts older cards above without moving what the person looks at. */
  async #earlier() {
    if (!this.place.conversation) return;
    /** @type {HTMLButtonElement} */
    const earlier = byId('earlier');
    earlier.disabled = true;
    const before = this.scroll.scrollHeight - this.scroll.scrollTop;
    this.stickToEnd = false;
    await this.desk.readOlder(this.place.conversation);
    await Promise.resolve(); // the page is drawn at the end of this turn
    this.scroll.scrollTop = this.scroll.scrollHeight - before;
    earlier.disabled = false;
    if (earlier.hidden) this.scroll.focus({ preventScroll: true });
  }

  /** Called once a second. */
  tick() {
    for (const view of this.views.values()) view.tick();
  }

  /**
   * Dismisses the item of a card. Returns true when the room was there for it
   * alone, and the person is taken elsewhere.
   * @param {Card} card
   * @param {string} text what to go on with there
   */
  #putAway(card, text) {
    if (!card.itemId) return false;
    const { item } = this.desk.outbox.read(card.itemId);
    this.desk.outbox.dismiss(card.itemId, Date.now());
    if (!item || this.place.item !== item.id) return false;
    this.onAbandon(knownIds(item).document, text);
    return true;
  }

  /** @param {import('./cards.js').CardAction|'notify'} action @param {Card} card */
  #act(action, card) {
    const { desk } = this;
    switch (action) {
      case 'stop':
        if (card.task) void desk.stop(card.task);
        break;
      case 'regenerate':
      case 'ask-again':
        if (this.place.conversation && card.messageId) {
          desk.regenerate(this.place.conversation, card.messageId, this.composer.onUnknown);
        }
        break;
      case 'edit':
        if (!this.#putAway(card, card.question)) this.composer.edit(card.question);
        break;
      case 'try-again':
        if (card.itemId) desk.sender.tryAgain(card.itemId);
        break;
      case 'give-up':
      case 'dismiss':
        if (!this.#putAway(card, '')) this.composer.focus();
        break;
      case 'show-earlier':
        void this.#earlier();
        break;
      case 'sign-in':
        this.onSignIn();
        break;
      case 'notify':
        void desk.attention.ask().then(() => desk.changed());
    }
  }
}
