// The shelf: lists of documents and conversations, and what is still on its way.

import { arrange, byId, h, setText, show } from './dom.js';
import { PendingView } from './pending_view.js';
import { knownIds } from './steps.js';
import { shorten } from './text.js';
import { listMark } from './versions.js';

/**
 * @typedef {import('./desk.js').Desk} Desk
 * @typedef {import('./router.js').Route} Route
 * @typedef {import('./cards.js').Pending} Pending
 */

export class ShelfView {
  /**
   * @param {Desk} desk
   * @param {{onEdit: (entry: Pending) => void, onSignIn: () => void}} actions
   */
  constructor(desk, actions) {
    this.desk = desk;
    this.actions = actions;
    /** @type {Map<string, HTMLElement>} */
    this.rows = new Map();
    /** @type {Map<string, PendingView>} */
    this.pending = new Map();
    byId('documents').replaceChildren();
    byId('conversations').replaceChildren();
    byId('documents-more').onclick = () => void desk.library.moreDocuments();
    byId('conversations-more').onclick = () => void desk.library.moreConversations();
  }

  /**
   * @param {Route} route
   * @param {import('./cards.js').Circumstances} circumstances
   */
  render(route, circumstances) {
    const { library, outbox } = this.desk;
    const pending = outbox.visible();
    const adding = pending.filter(({ item }) => item.kind === 'add-document' || item.kind === 'add-version');
    const asking = pending.filter(({ item }) => item.kind === 'ask' && !knownIds(item).conversation);

    arrange(byId('documents'), [
      ...adding.map((entry) => this.#pendingRow(entry, circumstances)),
      ...[...library.documents.items.values()].map((info) => this.#linkRow(`#/d/${info.id}`, info.title, listMark(info), route)),
    ]);
    arrange(byId('conversations'), [
      ...asking.map(({ item }) => this.#linkRow(`#/new/${item.id}`, shorten(item.intent.text ?? '', 80), '', route)),
      ...[...library.conversations.items.values()].map((info) => this.#linkRow(`#/c/${info.id}`, info.title, this.#conversationMark(info.id, pending), route)),
    ]);
    note('documents', library.documents, 'No documents yet.');
    note('conversations', library.conversations, 'Your questions will appear here.');
    for (const [key, row] of this.rows) if (!row.isConnected) this.rows.delete(key);
    for (const [key, { element }] of this.pending) if (!element.isConnected) this.pending.delete(key);
  }

  /**
   * What goes on in a conversation that may not be on the screen.
   * @param {string} id
   * @param {Pending[]} pending
   */
  #conversationMark(id, pending) {
    if (pending.some(({ item }) => knownIds(item).conversation === id)) return 'unconfirmed';
    return this.desk.models.get(id)?.openTasks().length ? 'reply due' : '';
  }

  /** @param {string} key @param {() => HTMLElement} make */
  #row(key, make) {
    let row = this.rows.get(key);
    if (!row) {
      row = make();
      this.rows.set(key, row);
    }
    return row;
  }

  /** @param {string} href @param {string} title @param {string} mark @param {Route} route */
  #linkRow(href, title, mark, route) {
    const row = this.#row(href, () => h('li', {}, h('a', { attributes: { href } },
      h('span', { class: 'shelf-title', attributes: { dir: 'auto' } }), h('span', { class: 'shelf-mark' }))));
    const link = /** @type {HTMLElement} */ (row.firstElementChild);
    setText(link.children[0], title);
    setText(link.children[1], mark);
    const here = route.name !== 'home' && href.endsWith(`/${route.id}`);
    if (here) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
    return row;
  }

  /** @param {Pending} entry @param {import('./cards.js').Circumstances} circumstances */
  #pendingRow(entry, circumstances) {
    let view = this.pending.get(entry.item.id);
    if (!view) {
      view = new PendingView(this.desk, 'li', this.actions);
      this.pending.set(entry.item.id, view);
    }
    view.update(entry, circumstances);
    return view.element;
  }
}

/**
 * @param {string} name
 * @param {import('./library.js').List<any>} list
 * @param {string} empty
 */
function note(name, list, empty) {
  const element = byId(`${name}-note`);
  const text = { loading: 'Loading.', trouble: 'Could not be loaded. Trying again by itself.', ready: list.items.size ? '' : empty }[list.status];
  setText(element, text);
  show(element, text !== '');
  show(byId(`${name}-more`), list.next !== null);
}
