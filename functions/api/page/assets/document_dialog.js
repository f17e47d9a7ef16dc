// The dialog that adds a document or a new version of one, from a file (chosen
// or dropped) or from pasted text.

import { byId, setText, show } from './dom.js';
import { DocumentTextError, checkText, readTextFile } from './file_input.js';
import { formatBytes, shorten } from './text.js';

/**
 * @typedef {object} Request
 * @property {string|null} document id for a new version, null for a new document
 * @property {string} documentTitle
 * @property {string} [text] to start with
 */

export class DocumentDialog {
  /**
   * @param {object} options
   * @param {number} options.limit bytes
   * @param {(request: Request, title: string, text: string) => void} options.onSave
   */
  constructor({ limit, onSave }) {
    this.limit = limit;
    this.onSave = onSave;
    /** @type {Request} */
    this.request = { document: null, documentTitle: '' };
    /** @type {{title: string, text: string}|null} a file's text is kept as it is: a text box would change its line ends */
    this.file = null;
    /** @type {HTMLDialogElement} */
    this.dialog = byId('document-dialog');
    this.title = byId('document-title');
    this.text = byId('document-text');
    this.input = byId('document-file');
    this.zone = byId('drop-zone');
    this.error = byId('document-error');
    this.input.addEventListener('change', () => this.#choose(this.input.files[0]));
    byId('document-unchoose').addEventListener('click', () => this.#unchoose());
    byId('document-form').addEventListener('submit', (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      this.#save();
    });
    this.#acceptDrops(this.zone);
    this.#acceptDrops(byId('main'));
  }

  /** @param {Request} request */
  open(request) {
    this.request = request;
    const version = request.document !== null;
    setText(byId('document-dialog-title'), version ? 'Add a new version' : 'Add a document');
    setText(byId('document-dialog-note'), version
      ? `of “${request.documentTitle}”. Questions asked so far keep the version they were asked about.`
      : 'Everybody in your workspace can ask about it.');
    setText(byId('document-save'), version ? 'Add version' : 'Add document');
    show(byId('document-title-field'), !version);
    this.title.value = request.documentTitle;
    this.text.value = request.text ?? '';
    this.#unchoose();
    setText(this.error, '');
    if (!this.dialog.open) this.dialog.showModal();
    (version ? this.input : this.title).focus();
  }

  /**
   * A file may be dropped on the dialog, or anywhere on the page to open it. A
   * drop that nobody takes would make the browser leave the page for the file.
   * @param {HTMLElement} target
   */
  #acceptDrops(target) {
    target.addEventListener('dragover', (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      target.classList.add('dragged-over');
    });
    target.addEventListener('dragleave', (event) => {
      if (!target.contains(/** @type {Node|null} */ (event.relatedTarget))) target.classList.remove('dragged-over');
    });
    target.addEventListener('drop', (event) => {
      target.classList.remove('dragged-over');
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      if (!this.dialog.open) this.open({ document: null, documentTitle: '' });
      void this.#choose(file);
    });
  }

  /** @param {File|undefined} file */
  async #choose(file) {
    if (!file) return;
    try {
      this.file = await readTextFile(file, this.limit);
    } catch (error) {
      this.#unchoose();
      this.#complain(error);
      return;
    }
    setText(this.error, '');
    setText(byId('document-chosen-name'), `${file.name}, ${formatBytes(file.size)}`);
    show(byId('document-chosen'), true);
    show(byId('document-text-field'), false);
    if (this.title.value.trim() === '') this.title.value = this.file.title;
  }

  #unchoose() {
    this.file = null;
    this.input.value = '';
    show(byId('document-chosen'), false);
    show(byId('document-text-field'), true);
  }

  #save() {
    try {
      const text = this.file?.text ?? checkText(this.text.value, this.limit);
      const title = this.title.value.trim() || shorten(text, 60);
      this.dialog.close();
      this.onSave(this.request, title, text);
    } catch (error) {
      this.#complain(error);
    }
  }

  /** @param {unknown} error */
  #complain(error) {
    if (!(error instanceof DocumentTextError)) throw error;
    setText(this.error, error.message);
  }
}
