// Shows the text of one version of a document.

import { byId, setText } from './dom.js';
import { formatBytes, formatMoment } from './text.js';

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
    setText(this.text, '');
    setText(byId('reader-facts'), `Version ${version} is being loaded.`);
    const outcome = await this.library.patientGet(`v1/documents/${document}/versions/${version}`);
    if (this.shown !== what) return; // another version was opened meanwhile
    if (outcome.kind !== 'ok') {
      this.shown = '';
      setText(byId('reader-facts'), outcome.status === 404 ? 'This version could not be found.' : 'This version cannot be read yet.');
      return;
    }
    const { bytes, created_at: createdAt, text } = outcome.body;
    setText(byId('reader-facts'), `Version ${version}, ${formatBytes(bytes)}, added ${formatMoment(createdAt, Date.now())}`);
    setText(this.text, text);
    this.text.scrollTop = 0;
  }
}
