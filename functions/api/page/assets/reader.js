// Shows the text of one version of a document, page by page where it has pages. A
// very long text comes in parts, the next one when the person asks for it.

import { button, byId, h, setText } from './dom.js';
import { splitPages } from './pages.js';
import { formatBytes, formatMoment, plural } from './text.js';

export class Reader {
  /** @param {import('./library.js').Library} library */
  constructor(library) {
    this.library = library;
    /** @type {HTMLDialogElement} */
    this.dialog = byId('reader');
    this.text = byId('reader-text');
    this.shown = '';
  }

  /**
   * @param {string} document
   * @param {string} title
   * @param {number} version
   */
  async open(document, title, version) {
    const what = `${document}/${version}`;
    setText(byId('reader-title'), title);
    this.dialog.showModal();
    if (this.shown === what) return;
    this.shown = what;
    this.text.replaceChildren();
    setText(byId('reader-facts'), `Version ${version} is being loaded.`);
    await this.#load(what, `v1/documents/${document}/versions/${version}`, 0);
    if (this.shown === what) this.text.scrollTop = 0;
  }

  /**
   * Adds the part that begins at a position.
   * @param {string} what
   * @param {string} path
   * @param {number} from in bytes
   */
  async #load(what, path, from) {
    const outcome = await this.library.patientGet(from > 0 ? `${path}?from=${from}` : path);
    if (this.shown !== what) return; // another version was opened meanwhile
    if (outcome.kind !== 'ok') {
      this.shown = '';
      setText(byId('reader-facts'), outcome.status === 404 ? 'This version could not be found.' : 'This version has no text that could be read.');
      return;
    }
    const { version, bytes, created_at: createdAt, text, page_starts: starts = [], next_from: next } = outcome.body;
    const pages = starts.length ? `${plural(starts.length, 'page')}, ` : '';
    setText(byId('reader-facts'), `Version ${version}, ${pages}${formatBytes(bytes)}, added ${formatMoment(createdAt, Date.now())}`);
    this.text.append(...splitPages(text, from, starts).map(pageElement));
    if (next) this.#offerMore(what, path, next);
  }

  /** @param {string} what @param {string} path @param {number} from */
  #offerMore(what, path, from) {
    const more = button('Show more of the text', () => {
      more.setAttribute('aria-disabled', 'true');
      void this.#load(what, path, from).then(() => {
        more.remove();
        this.text.focus({ preventScroll: true });
      });
    });
    this.text.append(more);
  }
}

/** @param {import('./pages.js').Page} page */
function pageElement({ number, text }) {
  const mark = number === null ? null : h('p', { class: 'reader-mark', text: `Page ${number}` });
  return h('div', { class: 'reader-page', attributes: { dir: 'auto' } }, mark, h('div', { text }));
}
