// Everything that lives as long as one person is signed in: the outbox and its
// sender, the poller, the conversations, and what the cards' buttons do.

import { Api } from './api.js';
import { Attention } from './attention.js';
import { arrivedAs } from './cards.js';
import { Library } from './library.js';
import { ConversationModel, hasEnded } from './model.js';
import { Outbox } from './outbox.js';
import { Poller } from './poller.js';
import { randomFraction } from './random.js';
import { resendDelay } from './retry.js';
import { Sender } from './sender.js';
import { scopeOf } from './session.js';
import { knownIds, newItem } from './steps.js';
import { shorten } from './text.js';
import { Uploads } from './uploads.js';

/**
 * @typedef {import('./types.js').Task} Task
 * @typedef {import('./types.js').OutboxItem} OutboxItem
 * @typedef {import('./types.js').Step} Step
 * @typedef {import('./types.js').Intent} Intent
 * @typedef {import('./types.js').Session} Session
 */

const PAGE = 20;
// A conversation that is looked at again is read again, but not at each blink.
const FRESH_MS = 5000;
// Of what needs no key, because a second time changes nothing.
const TRIES = 3;

export class Desk {
  /**
   * @param {object} options
   * @param {string} options.base
   * @param {Session} options.session
   * @param {import('./storage.js').LayeredStorage} options.storage
   * @param {number} options.historyLimit
   * @param {() => void} options.onChange something to show has changed
   * @param {() => void} options.onUnauthorized
   * @param {(hash: string) => void} options.onOpen
   * @param {import('./library.js').Library['onRead']} options.onRead
   */
  constructor({ base, session, storage, historyLimit, onChange, onUnauthorized, onOpen, onRead }) {
    this.session = session;
    this.signedIn = true;
    this.historyLimit = historyLimit;
    this.onChange = onChange;
    this.onUnauthorized = onUnauthorized;
    this.onOpen = onOpen;
    this.storage = storage;
    const scope = scopeOf(base, session);
    this.api = new Api({ base, token: () => this.session.token });
    const unauthorized = () => this.#unauthorized();
    this.library = new Library({
      api: this.api, untilSignedIn: () => this.#untilSignedIn(), onUnauthorized: unauthorized, onChange: () => this.changed(), onRead,
    });
    this.attention = new Attention({ storage, prefix: scope, onOpen: (conversation) => onOpen(`#/c/${conversation}`) });
    this.outbox = new Outbox(storage, scope);
    this.poller = new Poller({ api: this.api, onAnswer: (task) => this.#told(task), onUnauthorized: unauthorized });
    this.documentPoller = new Poller({
      api: this.api, onAnswer: (info) => this.library.keepDocument(info), onGone: (id) => this.library.forgetDocument(id), onUnauthorized: unauthorized,
    });
    this.uploads = new Uploads({ api: this.api, outbox: this.outbox, onProgress: () => this.onChange() });
    this.sender = new Sender({
      outbox: this.outbox, api: this.api, uploads: this.uploads, mayServe: () => this.signedIn, onUnauthorized: unauthorized,
      onStep: (item, step, body, result) => this.#answered(item, step, body, result),
    });
    this.outbox.subscribe(() => this.changed());
    /** @type {Map<string, ConversationModel>} */
    this.models = new Map();
    /** @type {Map<string, number>} */
    this.readAt = new Map();
    /** Remarks about a Stop under way, by task. @type {Map<string, string>} */
    this.stopping = new Map();
    /** Items made by this page, which follows them to where they lead. @type {Set<string>} */
    this.own = new Set();
    /** @type {(() => void)[]} */
    this.waiters = [];
  }

  start() {
    const now = Date.now();
    this.outbox.purge(now);
    this.attention.purge(now);
    void this.library.load();
    this.sender.kick();
    this.changed();
  }

  close() {
    this.sender.close();
    this.poller.close();
    this.documentPoller.close();
    this.library.close();
    this.outbox.close();
  }

  changed() {
    this.poller.watch([...this.models.values()].flatMap((model) => model.openTasks())
      .map(({ id, conversation }) => ({ id, path: `v1/conversations/${conversation}/tasks/${id}` })));
    this.documentPoller.watch(this.library.indexing().map(({ id }) => ({ id, path: `v1/documents/${id}` })));
    this.onChange();
  }

  /** Asks at once about all that is under way. */
  wake() {
    this.poller.wake();
    this.documentPoller.wake();
  }

  /** Slows down: the page was hidden. */
  rest() {
    this.poller.rest();
    this.documentPoller.rest();
  }

  // Sign-in ends and goes on.

  #unauthorized() {
    if (!this.signedIn) return;
    this.signedIn = false;
    this.changed();
    this.onUnauthorized();
  }

  #untilSignedIn() {
    return this.signedIn ? Promise.resolve() : new Promise((/** @type {(value: void) => void} */ resolve) => { this.waiters.push(resolve); });
  }

  /** Goes on with a new token of the same person. @param {Session} session */
  goOn(session) {
    this.session = session;
    this.signedIn = true;
    for (const resolve of this.waiters.splice(0)) resolve();
    this.sender.kick();
    this.wake();
    this.changed();
  }

  // Actions. Each is stored before anything is sent.

  /** @param {OutboxItem['kind']} kind @param {Intent} intent @param {File} [file] @returns {OutboxItem} */
  #post(kind, intent, file) {
    const item = newItem(kind, intent, Date.now());
    this.own.add(item.id);
    if (file) this.uploads.keep(item.id, file);
    this.outbox.create(item);
    return item;
  }

  /** @param {Intent} intent */
  ask(intent) {
    return this.#post('ask', intent);
  }

  /** @param {string} title @param {string} documentText */
  addDocument(title, documentText) {
    return this.#post('add-document', { title, documentText });
  }

  /** @param {string} document @param {string} documentText */
  addVersion(document, documentText) {
    return this.#post('add-version', { document, documentText });
  }

  /**
   * Adds a file as a new document, or as a version of one.
   * @param {{document: string|null, title: string}} place
   * @param {File} file
   * @param {string} sha256
   */
  addFile({ document, title }, file, sha256) {
    const described = { name: file.name, bytes: file.size, sha256, type: file.type };
    return document === null
      ? this.#post('add-document', { title, file: described }, file)
      : this.#post('add-version', { document, file: described }, file);
  }

  /**
   * Deletes a document for everybody. Needs no key: a second time changes nothing.
   * @param {string} id
   * @returns {Promise<string>} why not; '' when it is gone
   */
  async deleteDocument(id) {
    for (let tries = 1; ; tries++) {
      const outcome = await this.api.delete(`v1/documents/${id}`);
      if (outcome.kind === 'ok' || outcome.status === 404) {
        this.library.forgetDocument(id);
        return '';
      }
      if (outcome.kind === 'unauthorized') {
        this.#unauthorized();
        return 'Your sign-in is over. Sign in again, and delete it then.';
      }
      if (outcome.kind === 'refused') return outcome.status === 403 ? 'You may not delete it here.' : 'The service did not delete it.';
      if (tries === TRIES) return 'The service did not confirm it. Deleting again is safe.';
      const delay = resendDelay(tries, outcome.retryAfterMs ?? null, randomFraction());
      await new Promise((resolve) => { setTimeout(resolve, delay); });
    }
  }

  /**
   * One more reply to a question. While one is under way for this message, in
   * any tab, there is nothing to press and nothing to do.
   * @param {string} conversation
   * @param {string} message
   * @param {string} [onUnknown]
   */
  regenerate(conversation, message, onUnknown) {
    const underWay = this.outbox.open().some((item) => item.kind === 'regenerate' && item.intent.message === message)
      || this.model(conversation).tasksOf(message).some((task) => !hasEnded(task));
    if (!underWay) this.#post('regenerate', { conversation, message, onUnknown });
  }

  /**
   * What a conversation has cost; null when that cannot be told right now.
   * @param {string} conversation
   * @returns {Promise<import('./types.js').ConversationSpend|null>}
   */
  async spend(conversation) {
    const outcome = await this.api.get(`v1/conversations/${conversation}/spend`);
    if (outcome.kind === 'unauthorized') this.#unauthorized();
    return outcome.kind === 'ok' ? outcome.body : null;
  }

  /**
   * Stop. The answer tells which write came first: the cancel or the reply. A
   * cancel has no key, because a second one changes nothing.
   * @param {Task} task
   */
  async stop(task) {
    if (this.stopping.get(task.id)?.startsWith('Stopping')) return;
    this.#remark(task, 'Stopping.');
    for (let tries = 1; tries <= TRIES; tries++) {
      const outcome = await this.api.post(`v1/conversations/${task.conversation}/tasks/${task.id}/cancel`, '');
      const told = outcome.kind === 'ok' ? outcome.body : outcome.problem?.task;
      if (told) {
        this.stopping.delete(task.id);
        this.#told(told);
        return;
      }
      if (outcome.kind === 'unauthorized') this.#unauthorized();
      if (outcome.kind !== 'unanswered') break;
      if (tries < TRIES) {
        const delay = resendDelay(tries, outcome.retryAfterMs ?? null, randomFraction());
        await new Promise((resolve) => { setTimeout(resolve, delay); });
      }
    }
    this.#remark(task, 'The service did not confirm the stop. The reply may still come; you can press Stop again.');
  }

  /** @param {Task} task @param {string} remark */
  #remark(task, remark) {
    this.stopping.set(task.id, remark);
    this.changed();
  }

  // What the server says.

  /** @param {OutboxItem} item @param {Step} step @param {any} body @param {import('./types.js').StepResult} result */
  #answered(item, step, body, result) {
    switch (step.op) {
      case 'document':
        this.library.keepDocument(body);
        break;
      case 'version':
      case 'complete':
        this.library.keepDocument(body);
        if (this.own.has(item.id)) this.library.showVersion(body.id, result.version ?? body.latest_version);
        break;
      case 'upload':
        this.uploads.signed.set(item.id, body.upload);
        break;
      case 'conversation':
        this.library.keepConversation(body);
        this.model(body.id).info = body;
        break;
      case 'message': {
        const { document = '', version = 0 } = knownIds(item);
        this.model(body.conversation).applyMessage({
          id: body.message, text: item.intent.text ?? '', document, version, history: item.intent.history ?? [], created_at: body.created_at,
        });
        this.model(body.conversation).applyTask(body);
        break;
      }
      case 'regenerate':
        this.model(body.conversation).applyTask(body);
    }
  }

  /** @param {Task} task */
  #told(task) {
    const model = this.model(task.conversation);
    const before = model.tasks.get(task.id);
    if (!model.applyTask(task)) return;
    if (hasEnded(task)) this.stopping.delete(task.id);
    if (before && !hasEnded(before) && task.status === 'completed') {
      this.attention.replyReady(task, shorten(model.messages.get(task.message)?.text ?? '', 100));
    }
    this.changed();
  }

  /** @param {string} id */
  model(id) {
    let model = this.models.get(id);
    if (!model) {
      model = new ConversationModel(id);
      this.models.set(id, model);
    }
    return model;
  }

  /**
   * Reads the newest page of a conversation.
   * @param {string} id
   * @param {{force?: boolean, onTrouble?: () => void}} [options]
   * @returns {Promise<boolean>} false when there is no such conversation
   */
  async readConversation(id, { force = false, onTrouble } = {}) {
    const model = this.model(id);
    if (!force && model.loaded && Date.now() - (this.readAt.get(id) ?? 0) < FRESH_MS) return true;
    this.readAt.set(id, Date.now());
    const outcome = await this.library.patientGet(`v1/conversations/${id}?limit=${PAGE}`, onTrouble, model.etag);
    if (outcome.kind === 'refused') return false;
    if (outcome.kind === 'ok') {
      model.etag = outcome.etag;
      model.applyNewest(outcome.body);
      this.#confirm(model);
      this.changed();
    }
    return true;
  }

  /** What items are compared with to find that they have arrived. */
  settled() {
    return { messages: this.outbox.settledMessages(), clockOffset: this.api.clockOffsetMs };
  }

  /**
   * A question that the page had given up on is in the conversation after all:
   * one more send of the same request brings its task.
   * @param {ConversationModel} model
   */
  #confirm(model) {
    for (const item of this.outbox.open()) {
      const here = item.state === 'unknown' && knownIds(item).conversation === model.id;
      if (here && arrivedAs(item, model.inOrder(), this.settled())) this.sender.tryAgain(item.id);
    }
  }

  /** @param {string} id @param {() => void} [onTrouble] */
  async readOlder(id, onTrouble) {
    const model = this.model(id);
    if (!model.older) return;
    const query = new URLSearchParams({ limit: String(PAGE), before: model.older });
    const outcome = await this.library.patientGet(`v1/conversations/${id}?${query}`, onTrouble);
    if (outcome.kind !== 'ok') return;
    model.applyOlder(outcome.body);
    this.changed();
  }
}
