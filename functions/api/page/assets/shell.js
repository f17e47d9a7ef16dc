// The frame around everything: which place is shown, the library beside it, and
// the handing over of actions to the desk.

import { Announcer } from './announcer.js';
import { Composer } from './composer.js';
import { Desk } from './desk.js';
import { DocumentDialog } from './document_dialog.js';
import { byId, setText, show } from './dom.js';
import { formats } from './file_input.js';
import { HomeView } from './home_view.js';
import { isOnline } from './network.js';
import { Reader } from './reader.js';
import { RoomView } from './room_view.js';
import { parseRoute } from './router.js';
import { ShelfView } from './shelf_view.js';
import { knownIds } from './steps.js';
import { stateOf, versionFailure, versionOf } from './versions.js';
import { VersionsDialog } from './versions_dialog.js';

/**
 * @typedef {import('./types.js').Session} Session
 * @typedef {import('./types.js').Intent} Intent
 * @typedef {import('./router.js').Route} Route
 */

export class Shell {
  /**
   * @param {object} options
   * @param {any} options.config
   * @param {string} options.base
   * @param {import('./storage.js').LayeredStorage} options.storage
   * @param {() => void} options.onExpired the sign-in is over
   * @param {() => void} options.onSignIn the person wants to sign in again
   */
  constructor({ config, base, storage, onExpired, onSignIn }) {
    this.config = config;
    this.base = base;
    this.storage = storage;
    this.onExpired = onExpired;
    this.onSignIn = onSignIn;
    this.announcer = new Announcer(byId('status'));
    this.composer = new Composer({ limit: config.limits.message_bytes, policies: config.on_unknown, onSend: (text) => this.#send(text) });
    this.documentDialog = new DocumentDialog(config.limits, {
      onText: ({ document: id }, title, text) => {
        if (id) this.desk?.addVersion(id, text);
        else this.desk?.addDocument(title, text);
      },
      onFile: ({ document: id }, title, file, sha256) => this.desk?.addFile({ document: id, title }, file, sha256).id ?? null,
      onEdit: (entry) => this.#editDocument(entry),
      onSignIn,
    });
    this.versionsDialog = new VersionsDialog({
      onRead: (info, version) => void this.reader?.open(info.id, info.title, version),
      onAsk: (info, version) => {
        this.desk?.library.showVersion(info.id, version);
        this.composer.focus();
      },
      onAdd: (info) => this.documentDialog.open({ document: info.id, documentTitle: info.title }),
      onDelete: (info) => this.#deleteDocument(info),
    });
    /** @type {Desk|null} */
    this.desk = null;
    /** @type {RoomView|null} */
    this.room = null;
    this.route = parseRoute(location.hash);
    this.drawing = false;
    /** The failure drills, where the service has them. @type {import('./drills_view.js').DrillsView|null} */
    this.drills = null;
    this.hasDrills = Boolean(config.local);
    this.#listen();
    if (this.hasDrills) void this.#findDrills();
  }

  #listen() {
    globalThis.addEventListener('hashchange', () => this.#go());
    setInterval(() => { if (!document.hidden) this.room?.tick(); }, 1000);
    byId('add-document').onclick = () => this.documentDialog.open({ document: null, documentTitle: '' });
    byId('show-versions').onclick = () => {
      const { info, version } = this.#shownDocument();
      if (info) this.versionsDialog.open(info, version);
    };
    byId('read').onclick = () => {
      const { info, version } = this.#shownDocument();
      if (info && version) void this.reader?.open(info.id, info.title, version);
    };
    byId('banner-sign-in').onclick = this.onSignIn;
    byId('shelf-toggle').onclick = () => this.#openShelf(!document.body.classList.contains('shelf-open'));
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.#openShelf(false);
    });
    // A window that becomes wide shows the library anyway.
    matchMedia('(min-width: 821px)').addEventListener('change', (event) => {
      if (event.matches) this.#openShelf(false);
    });
  }

  /** The drills exist on one machine only, so nobody else loads their modules. */
  async #findDrills() {
    const { DrillsView } = await import('./drills_view.js');
    const drills = new DrillsView({ base: this.base, announcer: this.announcer });
    if (await drills.available()) this.drills = drills;
    else this.hasDrills = false;
    show(byId('open-drills'), this.hasDrills);
    if (parseRoute(location.hash).name === 'drills') this.#go({ fresh: true });
  }

  /** @param {Session} session */
  enter(session) {
    this.leave();
    const desk = new Desk({
      base: this.base, session, storage: this.storage, historyLimit: this.config.limits.history,
      onChange: () => this.draw(), onUnauthorized: this.onExpired, onOpen: (hash) => { location.hash = hash; },
      onRead: (info, version) => this.#announceVersion(info, version),
    });
    this.desk = desk;
    this.shelf = new ShelfView(desk, { onEdit: (entry) => this.#editDocument(entry), onSignIn: this.onSignIn });
    this.home = new HomeView({ desk, formats: formats(this.config.limits), onAdd: () => byId('add-document').click(), onAsk: (intent) => this.#ask(intent) });
    this.room = new RoomView({
      desk, announcer: this.announcer, composer: this.composer, onSignIn: this.onSignIn,
      onRead: (id, version) => void this.reader?.open(id, desk.library.documents.items.get(id)?.title ?? '', version),
      onAbandon: (document, text) => this.#abandon(document, text),
    });
    this.reader = new Reader(desk.library);
    desk.start();
    this.#go({ fresh: true });
  }

  leave() {
    this.drills?.leave();
    this.desk?.close();
    this.room?.close();
    this.desk = null;
    this.room = null;
  }

  // Places.

  /**
   * @param {object} [how]
   * @param {boolean} [how.fresh] even when the address did not change
   * @param {boolean} [how.follows] the same cards and draft, at their final address
   */
  #go({ fresh = false, follows = false } = {}) {
    if (!this.desk || !this.room) return;
    const before = placeKey(this.route);
    this.route = parseRoute(location.hash);
    if (this.route.name === 'drills' && !this.hasDrills) this.route = parseRoute('');
    this.#openShelf(false);
    const key = placeKey(this.route);
    if (!fresh && key === before) return;
    this.composer.moveTo(key, follows);
    if (this.route.name !== 'drills') this.drills?.leave();
    if (this.route.name === 'home') {
      this.desk.attention.setTitle('replyonce');
      this.home?.enter();
    } else if (this.route.name === 'drills') {
      this.desk.attention.setTitle('Failure drills');
      this.drills?.enter(this.route.id, !fresh);
    } else this.room.enter(placeOf(this.route), follows);
    this.draw();
    if (this.route.name !== 'home' && this.route.name !== 'drills' && !follows && !fresh) this.composer.focus();
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
    const circumstances = { online: isOnline(), signedIn: desk.signedIn, now: Date.now() };
    this.#drawBanner(circumstances);
    this.shelf?.render(this.route, circumstances);
    this.documentDialog.render(desk, circumstances);
    const { info: shown, version } = this.#shownDocument();
    this.versionsDialog.render(shown, version);
    const { name } = this.route;
    byId('open-drills').querySelector('a')?.toggleAttribute('aria-current', name === 'drills');
    for (const place of ['home', 'drills']) show(byId(place), name === place);
    show(byId('room'), name !== 'home' && name !== 'drills');
    if (name === 'home') this.home?.render();
    else if (name !== 'drills') this.room?.render(circumstances);
  }

  /** @param {import('./cards.js').Circumstances} circumstances */
  #drawBanner({ online, signedIn }) {
    const texts = [];
    if (!signedIn) texts.push('Your sign-in is over.');
    if (!online) texts.push('You are offline. What you ask is kept here and goes out when you are back.');
    if (this.storage.weakest !== 'local') {
      texts.push('This browser does not let the page keep things for long. Leave this page open until your question is saved.');
    }
    setText(byId('banner-text'), texts.join(' '));
    show(byId('banner-sign-in'), !signedIn);
    show(byId('banner'), texts.length > 0);
  }

  /** Moves on when an item that the page follows has got somewhere. @param {Desk} desk */
  #follow(desk) {
    if (this.route.name === 'new') {
      const { item, outcome } = desk.outbox.read(this.route.id);
      const conversation = outcome?.result?.conversation ?? (item ? knownIds(item).conversation : undefined);
      if (conversation) {
        history.replaceState(null, '', `#/c/${conversation}`);
        this.#go({ follows: true });
      }
    }
    for (const itemId of desk.own) {
      const { outcome } = desk.outbox.read(itemId);
      if (!outcome) continue;
      desk.own.delete(itemId);
      const { document: id, version, conversation } = outcome.result ?? {};
      if (!id || conversation) continue;
      const info = desk.library.documents.items.get(id);
      const read = info && stateOf(versionOf(info, version ?? 0)) === 'indexing' ? ' and is being read' : '';
      this.announcer.say(version === 1 ? `The document was added${read}.` : `Version ${version} was added${read}.`);
      const watched = this.documentDialog.done(itemId);
      if (this.route.name === 'home' || (watched && this.room?.place.document !== id)) location.hash = `#/d/${id}`;
    }
  }

  /** @param {import('./types.js').DocumentInfo} info @param {import('./types.js').VersionInfo} version */
  #announceVersion(info, version) {
    this.announcer.say(stateOf(version) === 'failed'
      ? `Version ${version.version} of “${info.title}” failed because ${versionFailure(version.failure)[0]}.`
      : `Version ${version.version} of “${info.title}” is ready.`);
  }

  /** On a narrow window the library covers the room. @param {boolean} open */
  #openShelf(open) {
    if (document.body.classList.contains('shelf-open') === open) return;
    document.body.classList.toggle('shelf-open', open);
    // What is behind the library cannot be reached either.
    for (const part of [byId('home'), byId('drills'), byId('room'), byId('banner')]) part.inert = open;
    byId('shelf-toggle').setAttribute('aria-expanded', String(open));
    if (!open) byId('shelf-toggle').focus();
  }

  // Actions.

  /** @param {string} text @returns {boolean} */
  #send(text) {
    if (!this.desk || !this.room) return false;
    const { conversation } = this.room.place;
    const { onUnknown } = this.composer;
    const { document, version } = this.room.current();
    if (!document || !version) {
      // Where the versions are known and none can be asked about, the note says so.
      if (!this.#shownDocument().info?.versions) this.#sendWhenLoaded(this.room, text);
      return false;
    }
    this.room.stickToEnd = true;
    if (conversation) {
      const shown = this.desk.model(conversation).history(this.desk.historyLimit);
      this.desk.ask({ text, conversation, document, version, history: shown, onUnknown });
    } else {
      this.#ask({ text, document, version, history: [], onUnknown });
    }
    return true;
  }

  /**
   * The version that the question goes to is not known yet. The question stays
   * in the box, where it can be changed, and goes out if it was not.
   * @param {RoomView} room
   * @param {string} text
   */
  #sendWhenLoaded(room, text) {
    const { place } = room;
    this.composer.explain('One moment: the document is still being loaded. Your question goes out right after.');
    void room.refreshed.then(() => {
      if (this.room === room && room.place === place && room.current().version) this.composer.submit(text);
    });
  }

  /** A question that opens a conversation. @param {Intent} intent */
  #ask(intent) {
    const item = this.desk?.ask(intent);
    if (item) location.hash = `#/new/${item.id}`;
  }

  /** The document of the room, where there is one, and the version to ask about. */
  #shownDocument() {
    const { document: id = null, version = null } = this.room?.current() ?? {};
    return { info: this.desk?.library.documents.items.get(id ?? '') ?? null, version };
  }

  /** @param {import('./types.js').DocumentInfo} info @returns {Promise<string>} why not; '' when it is gone */
  async #deleteDocument({ id, title }) {
    const trouble = await this.desk?.deleteDocument(id) ?? '';
    if (trouble === '') {
      this.announcer.say(`“${title}” was deleted.`);
      if (this.route.name === 'document' && this.route.id === id) location.hash = '#/';
    }
    return trouble;
  }

  /**
   * A question that never got a conversation was put away. What is left of it is
   * its document, and its text where the person wants to edit it.
   * @param {string|undefined} document
   * @param {string} text
   */
  #abandon(document, text) {
    if (document && text) this.composer.setDraft(`document/${document}`, text);
    location.hash = document ? `#/d/${document}` : '#/';
  }

  /** @param {import('./cards.js').Pending} entry */
  #editDocument({ item }) {
    const { document = null, title, documentText: text } = item.intent;
    const documentTitle = title ?? this.desk?.library.documents.items.get(document ?? '')?.title ?? '';
    this.documentDialog.open({ document, documentTitle, text });
    this.desk?.outbox.dismiss(item.id, Date.now());
  }
}

/** @param {Route} route */
function placeKey(route) {
  return route.name === 'home' ? 'home' : `${route.name}/${route.id}`;
}

/** @param {Exclude<Route, {name: 'home'}|{name: 'drills'}>} route @returns {import('./room_view.js').Place} */
function placeOf(route) {
  return {
    conversation: route.name === 'conversation' ? route.id : null,
    document: route.name === 'document' ? route.id : null,
    item: route.name === 'new' ? route.id : null,
  };
}
