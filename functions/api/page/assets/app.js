// Starts the page and connects its parts.

import { Announcer } from './announcer.js';
import { Composer } from './composer.js';
import { Desk } from './desk.js';
import { DocumentDialog } from './document_dialog.js';
import { byId, h, setText, show } from './dom.js';
import { HomeView } from './home_view.js';
import { OidcSignIn, SignInError } from './oidc.js';
import { Reader } from './reader.js';
import { RoomView } from './room_view.js';
import { parseRoute } from './router.js';
import { SessionStore, scopeOf } from './session.js';
import { ShelfView } from './shelf_view.js';
import { drawSignIn } from './sign_in.js';
import { knownIds } from './steps.js';
import { LayeredStorage, webStorage } from './storage.js';

/**
 * @typedef {import('./types.js').Session} Session
 * @typedef {import('./types.js').Intent} Intent
 */

// Everything is relative to the folder of the page, whatever stage it is in.
const base = new URL('./', location.href.split(/[?#]/)[0]).href;
const storage = new LayeredStorage(webStorage('localStorage'), webStorage('sessionStorage'));
const sessions = new SessionStore(storage, base);
const lastKey = `replyonce/${encodeURIComponent(new URL(base).pathname)}/last-sign-in`;

class App {
  /** @param {any} config */
  constructor(config) {
    this.config = config;
    this.provider = config.sign_in.kind === 'oidc'
      ? new OidcSignIn({ settings: config.sign_in, base, tabStorage: webStorage('sessionStorage') })
      : null;
    this.announcer = new Announcer(byId('status'));
    this.composer = new Composer({ limit: config.limits.message_bytes, onSend: (text) => this.#send(text) });
    this.documentDialog = new DocumentDialog({
      limit: config.limits.document_bytes,
      onSave: (request, title, text) => {
        if (request.document) this.desk?.addVersion(request.document, text);
        else this.desk?.addDocument(title, text);
      },
    });
    /** @type {Desk|null} */
    this.desk = null;
    this.route = parseRoute(location.hash);
    this.drawing = false;
    this.#listen();
  }

  #listen() {
    globalThis.addEventListener('hashchange', () => this.#go());
    globalThis.addEventListener('online', () => {
      this.desk?.sender.hurry();
      this.desk?.poller.wake();
      this.draw();
    });
    globalThis.addEventListener('offline', () => this.draw());
    document.addEventListener('visibilitychange', () => this.#visibility());
    globalThis.addEventListener('pagehide', () => this.desk?.sender.release());
    globalThis.addEventListener('pageshow', (event) => {
      if (event.persisted) this.#restored();
    });
    globalThis.addEventListener('storage', (event) => {
      if (event.key === null || event.key === sessions.key) this.#sessionElsewhere();
    });
    setInterval(() => { if (!document.hidden) this.room?.tick(); }, 1000);
    byId('add-document').onclick = () => this.documentDialog.open({ document: null, documentTitle: '' });
    byId('new-version').onclick = () => this.#newVersion();
    byId('read').onclick = () => this.#read();
    byId('sign-out').onclick = () => this.#signOut();
    byId('shelf-toggle').onclick = () => this.#openShelf(!document.body.classList.contains('shelf-open'));
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && document.body.classList.contains('shelf-open')) this.#openShelf(false);
    });
    // A window that becomes wide shows the library anyway.
    matchMedia('(min-width: 821px)').addEventListener('change', (event) => {
      if (event.matches) this.#openShelf(false);
    });
    for (const opener of document.querySelectorAll('[data-open]')) {
      opener.addEventListener('click', () => byId(/** @type {HTMLElement} */ (opener).dataset.open ?? '').showModal());
    }
    for (const closer of document.querySelectorAll('[data-close]')) {
      closer.addEventListener('click', () => closer.closest('dialog')?.close());
    }
  }

  // Coming and going.

  #visibility() {
    if (document.hidden) {
      this.desk?.poller.rest();
      return;
    }
    this.desk?.attention.seen();
    this.desk?.poller.wake();
    this.desk?.sender.kick();
    void this.room?.refresh();
  }

  /**
   * Back from the back/forward cache: timers stood still and requests may be
   * lost, so the page asks the server about everything that it waits for.
   */
  #restored() {
    this.#sessionElsewhere();
    this.desk?.sender.resume();
    this.desk?.poller.wake();
    void this.room?.refresh();
    this.draw();
  }

  // Sign-in.

  /** @param {string} [message] */
  showGate(message = '') {
    this.#closeDesk();
    for (const dialog of document.querySelectorAll('dialog[open]')) /** @type {HTMLDialogElement} */ (dialog).close();
    show(byId('app'), false);
    show(byId('gate'), true);
    document.title = 'Sign in · replyonce';
    this.#drawSignIn(byId('gate-form'), message);
    byId('gate-form').querySelector('input')?.focus();
  }

  /** @param {HTMLElement} container @param {string} message */
  #drawSignIn(container, message) {
    drawSignIn(container, {
      provider: this.provider, base, known: lastSignIn(), message,
      onSession: (session) => this.signedIn(session),
    });
  }

  /** @param {Session} session */
  signedIn(session) {
    sessions.write(session);
    storage.set(lastKey, JSON.stringify({ user: session.user, workspace: session.workspace }));
    byId('sign-in-again').close();
    this.useSession(session);
  }

  /** Goes on as the same person, or starts afresh as another. @param {Session} session */
  useSession(session) {
    if (this.desk && scopeOf(base, this.desk.session) === scopeOf(base, session)) {
      this.desk.goOn(session);
      return;
    }
    this.#closeDesk();
    this.#openDesk(session);
  }

  /** @param {Session} session */
  #openDesk(session) {
    const desk = new Desk({
      base, session, storage, historyLimit: this.config.limits.history,
      onChange: () => this.draw(),
      onUnauthorized: () => this.#unauthorized(),
      onOpen: (hash) => { location.hash = hash; },
    });
    this.desk = desk;
    this.shelf = new ShelfView(desk, { onEdit: (entry) => this.#editDocument(entry), onSignIn: () => this.#askToSignIn() });
    this.home = new HomeView({ desk, onAdd: () => byId('add-document').click(), onAsk: (intent) => this.#ask(intent) });
    this.room = new RoomView({ desk, announcer: this.announcer, composer: this.composer, onSignIn: () => this.#askToSignIn() });
    this.reader = new Reader(desk.library);
    setText(byId('who-name'), session.label);
    setText(byId('who-workspace'), session.workspace);
    show(byId('gate'), false);
    show(byId('app'), true);
    desk.start();
    this.#go(true);
  }

  #closeDesk() {
    this.desk?.close();
    this.room?.close();
    this.desk = null;
    this.room = null;
  }

  #unauthorized() {
    // Another tab may have signed in already.
    const stored = sessions.read();
    if (stored && stored.token !== this.desk?.session.token) this.useSession(stored);
    else this.#askToSignIn();
  }

  #askToSignIn() {
    const dialog = byId('sign-in-again');
    this.#drawSignIn(byId('sign-in-again-form'), '');
    if (!dialog.open) dialog.showModal();
  }

  #sessionElsewhere() {
    const stored = sessions.read();
    if (!stored) {
      if (this.desk) this.showGate();
    } else if (stored.token !== this.desk?.session.token) {
      byId('sign-in-again').close();
      this.useSession(stored);
    }
  }

  #signOut() {
    const session = this.desk?.session;
    sessions.clear();
    if (session && this.provider?.end(session)) return;
    location.hash = '#/';
    this.showGate();
  }

  // Places.

  /** @param {boolean} [fresh] */
  #go(fresh = false) {
    if (!this.desk || !this.room) return;
    const before = this.route;
    this.route = parseRoute(location.hash);
    this.#openShelf(false);
    const key = placeKey(this.route);
    if (!fresh && key === placeKey(before)) return;
    const follows = before.name === 'new' && this.route.name === 'conversation'
      && this.desk.outbox.read(before.id).outcome?.result?.conversation === this.route.id;
    this.composer.moveTo(key, follows || this.following);
    if (this.route.name === 'home') {
      this.desk.attention.setTitle('replyonce');
    } else {
      this.room.enter({
        conversation: this.route.name === 'conversation' ? this.route.id : null,
        document: this.route.name === 'document' ? this.route.id : null,
        item: this.route.name === 'new' ? this.route.id : null,
      }, follows || Boolean(this.following));
    }
    this.draw();
    if (!follows && !this.following && this.route.name !== 'home' && !fresh) this.composer.focus();
  }

  /** Draws once per turn, however many things changed in it. */
  draw() {
    if (this.drawing) return;
    this.drawing = true;
    queueMicrotask(() => {
      this.drawing = false;
      if (this.desk) this.#draw(this.desk);
    });
  }

  /** @param {Desk} desk */
  #draw(desk) {
    this.#follow(desk);
    const circumstances = { online: navigator.onLine !== false, signedIn: desk.signedIn, now: Date.now() };
    this.#drawBanner(circumstances.online);
    this.shelf?.render(this.route, circumstances);
    const atHome = this.route.name === 'home';
    show(byId('home'), atHome);
    show(byId('room'), !atHome);
    if (atHome) this.home?.render();
    else this.room?.render(circumstances);
  }

  /** @param {boolean} online */
  #drawBanner(online) {
    const banner = byId('banner');
    const texts = [];
    if (!online) texts.push('You are offline. What you ask is kept here and goes out when you are back.');
    if (storage.weakest !== 'local') {
      texts.push('This browser does not let the page keep things for long. Leave this page open until your question is saved.');
    }
    setText(banner, texts.join(' '));
    show(banner, texts.length > 0);
  }

  /** Moves on when an item that the page follows has got somewhere. @param {Desk} desk */
  #follow(desk) {
    if (this.route.name === 'new') {
      const { item, outcome } = desk.outbox.read(this.route.id);
      const conversation = outcome?.result?.conversation ?? (item ? knownIds(item).conversation : undefined);
      if (conversation) this.#replace(`#/c/${conversation}`);
    }
    for (const id of desk.own) {
      const { outcome } = desk.outbox.read(id);
      if (!outcome) continue;
      desk.own.delete(id);
      const { document, conversation } = outcome.result ?? {};
      if (document && !conversation && this.route.name === 'home') location.hash = `#/d/${document}`;
    }
  }

  /** @param {string} hash */
  #replace(hash) {
    history.replaceState(null, '', hash);
    this.following = true; // the same cards and the same draft, at their final address
    this.#go();
    this.following = false;
  }

  /** @param {boolean} open */
  #openShelf(open) {
    if (document.body.classList.contains('shelf-open') === open) return;
    document.body.classList.toggle('shelf-open', open);
    // The library covers the room: what is behind it cannot be reached either.
    for (const part of [byId('home'), byId('room'), byId('banner')]) part.inert = open;
    byId('shelf-toggle').setAttribute('aria-expanded', String(open));
    if (!open) byId('shelf-toggle').focus();
  }

  // Actions.

  /** @param {string} text @returns {boolean} */
  #send(text) {
    if (!this.desk || !this.room) return false;
    const { place } = this.room;
    const { document, version } = this.room.current();
    if (!document || !version) {
      this.composer.explain('One moment: the document is still being loaded. Your question stays here.');
      return false;
    }
    this.room.stickToEnd = true;
    if (place.conversation) {
      const historyIds = this.desk.model(place.conversation).history(this.desk.historyLimit);
      this.desk.ask({ text, conversation: place.conversation, document, version, history: historyIds });
    } else {
      this.#ask({ text, document, version, history: [] });
    }
    return true;
  }

  /** A question that opens a conversation. @param {Intent} intent */
  #ask(intent) {
    const item = this.desk?.ask(intent);
    if (item) location.hash = `#/new/${item.id}`;
  }

  #newVersion() {
    const { document } = this.room?.current() ?? {};
    const info = document ? this.desk?.library.documents.items.get(document) : undefined;
    if (info) this.documentDialog.open({ document: info.id, documentTitle: info.title });
  }

  #read() {
    const { document, version } = this.room?.current() ?? {};
    const info = document ? this.desk?.library.documents.items.get(document) : undefined;
    if (info && version) void this.reader?.open(info.id, info.title, version);
  }

  /** @param {import('./cards.js').Pending} entry */
  #editDocument({ item }) {
    const { document = null, title, documentText: text } = item.intent;
    const documentTitle = title ?? this.desk?.library.documents.items.get(document ?? '')?.title ?? '';
    this.documentDialog.open({ document, documentTitle, text });
    this.desk?.outbox.dismiss(item.id, Date.now());
  }
}

/** @param {import('./router.js').Route} route */
function placeKey(route) {
  return route.name === 'home' ? 'home' : `${route.name}/${route.id}`;
}

function lastSignIn() {
  try {
    const { user = '', workspace = '' } = JSON.parse(storage.get(lastKey) ?? '{}');
    return { user: String(user), workspace: String(workspace) };
  } catch {
    return { user: '', workspace: '' };
  }
}

/** Reads the settings, again and again if need be: nothing works without them. */
async function loadConfig() {
  for (let wait = 1000; ; wait = Math.min(wait * 2, 30_000)) {
    try {
      const response = await fetch(new URL('config.json', base), { cache: 'no-store', credentials: 'omit' });
      if (response.ok) return await response.json();
    } catch {
      // No network yet, or half an answer.
    }
    show(byId('gate'), true);
    byId('gate-form').replaceChildren(h('p', { class: 'gate-note', text: 'The service does not answer yet. Trying again by itself.' }));
    await new Promise((resolve) => { setTimeout(resolve, wait); });
  }
}

async function start() {
  const app = new App(await loadConfig());
  try {
    const completed = await app.provider?.complete(location.search);
    if (completed) {
      history.replaceState(null, '', base + completed.returnTo);
      app.signedIn(completed.session);
      return;
    }
  } catch (error) {
    history.replaceState(null, '', base);
    if (!(error instanceof SignInError)) throw error;
    app.showGate(error.message);
    return;
  }
  const session = sessions.read();
  if (session) app.useSession(session);
  else app.showGate();
}

void start();
