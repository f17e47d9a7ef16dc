// Who is signed in: the page before sign-in, the dialog when a sign-in runs
// out, and what other tabs of the same browser do about it.

import { byId, setText, show } from './dom.js';
import { OidcSignIn, SignInError } from './oidc.js';
import { SessionStore, scopeOf } from './session.js';
import { drawSignIn } from './sign_in.js';
import { webStorage } from './storage.js';

/** @typedef {import('./types.js').Session} Session */

export class Gate {
  /**
   * @param {object} options
   * @param {any} options.signIn settings from config.json
   * @param {string} options.base
   * @param {import('./storage.js').LayeredStorage} options.storage
   * @param {(session: Session) => void} options.onEnter somebody else than before is here
   * @param {(session: Session) => void} options.onGoOn the same person has a new token
   * @param {() => void} options.onLeave
   */
  constructor({ signIn, base, storage, onEnter, onGoOn, onLeave }) {
    this.base = base;
    this.storage = storage;
    this.onEnter = onEnter;
    this.onGoOn = onGoOn;
    this.onLeave = onLeave;
    this.sessions = new SessionStore(storage, base);
    this.lastKey = `replyonce/${encodeURIComponent(new URL(base).pathname)}/last-sign-in`;
    this.provider = signIn.kind === 'oidc' ? new OidcSignIn({ settings: signIn, base, tabStorage: webStorage('sessionStorage') }) : null;
    /** @type {Session|null} */
    this.session = null;
    /** @type {HTMLDialogElement} */
    this.dialog = byId('sign-in-again');
    byId('sign-out').onclick = () => this.signOut();
    globalThis.addEventListener('storage', (event) => {
      if (event.key === null || event.key === this.sessions.key) this.sync();
    });
  }

  /** Finishes a sign-in at the provider, or takes up the stored one. */
  async open() {
    try {
      const completed = await this.provider?.complete(location.search);
      if (completed) {
        history.replaceState(null, '', this.base + completed.returnTo);
        this.#signedIn(completed.session);
        return;
      }
    } catch (error) {
      // The code in the address is of no more use, and not for others to see.
      history.replaceState(null, '', this.base);
      if (!(error instanceof SignInError)) throw error;
      this.#show(error.message);
      return;
    }
    const session = this.sessions.read();
    if (session) this.#use(session);
    else this.#show('');
  }

  /** @param {string} message */
  #show(message) {
    this.session = null;
    for (const dialog of document.querySelectorAll('dialog[open]')) /** @type {HTMLDialogElement} */ (dialog).close();
    this.onLeave();
    show(byId('app'), false);
    show(byId('gate'), true);
    document.title = 'Sign in · replyonce';
    this.#draw(byId('gate-form'), message);
    byId('gate-form').querySelector('input')?.focus();
  }

  /** @param {HTMLElement} container @param {string} message */
  #draw(container, message) {
    drawSignIn(container, {
      provider: this.provider, base: this.base, known: this.#lastSignIn(), message,
      onSession: (session) => this.#signedIn(session),
    });
  }

  #lastSignIn() {
    try {
      const { user = '', workspace = '' } = JSON.parse(this.storage.get(this.lastKey) ?? '{}');
      return { user: String(user), workspace: String(workspace) };
    } catch {
      return { user: '', workspace: '' };
    }
  }

  /** @param {Session} session */
  #signedIn(session) {
    this.sessions.write(session);
    this.storage.set(this.lastKey, JSON.stringify({ user: session.user, workspace: session.workspace }));
    this.#use(session);
  }

  /** @param {Session} session */
  #use(session) {
    const before = this.session;
    this.session = session;
    this.dialog.close();
    if (before && scopeOf(this.base, before) === scopeOf(this.base, session)) {
      this.onGoOn(session);
      return;
    }
    setText(byId('who-name'), session.label);
    setText(byId('who-workspace'), session.workspace);
    show(byId('gate'), false);
    show(byId('app'), true);
    this.onEnter(session);
  }

  /** The service said 401. Another tab may have signed in already. */
  expired() {
    const stored = this.sessions.read();
    if (stored && stored.token !== this.session?.token) this.#use(stored);
    else this.ask();
  }

  /** Offers to sign in again, over what the page shows. */
  ask() {
    this.#draw(byId('sign-in-again-form'), '');
    if (!this.dialog.open) this.dialog.showModal();
  }

  /** Follows what another tab, or this page before it was cached, has done. */
  sync() {
    const stored = this.sessions.read();
    if (!stored) {
      if (this.session) this.#show('');
    } else if (stored.token !== this.session?.token) {
      this.#use(stored);
    }
  }

  signOut() {
    const { session } = this;
    this.sessions.clear();
    if (session && this.provider?.end(session)) return;
    location.hash = '#/';
    this.#show('');
  }
}
