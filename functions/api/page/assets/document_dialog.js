// The dialog that adds a document or a new version of one, from a file (chosen
// or dropped) or from pasted text. A file that is uploaded is followed here until
// it has arrived, or in the library when the person closes the dialog.

import { byId, setText, show } from './dom.js';
import { DocumentTextError, checkText, formats, readInput, unreadable } from './file_input.js';
import { PendingView } from './pending_view.js';
import { sha256Of } from './sha256.js';
import { formatBytes, shorten } from './text.js';

/**
 * @typedef {object} Request
 * @property {string|null} document id for a new version, null for a new document
 * @property {string} documentTitle
 * @property {string} [text] to start with
 */

/**
 * What the dialog gives on: a text, or a file with its hash.
 * @typedef {object} DialogActions
 * @property {(request: Request, title: string, text: string) => void} onText
 * @property {(request: Request, title: string, file: File, sha256: string) => string|null} onFile returns the item to follow
 * @property {(entry: import('./cards.js').Pending) => void} onEdit
 * @property {() => void} onSignIn
 */

export class DocumentDialog {
  /**
   * @param {import('./file_input.js').Limits} limits
   * @param {DialogActions} actions
   */
  constructor(limits, actions) {
    this.limits = limits;
    this.actions = actions;
    /** @type {Request} */
    this.request = { document: null, documentTitle: '' };
    /** A file's text is kept as it is: a text box would change its line ends. @type {{file: File, input: import('./file_input.js').Input}|null} */
    this.chosen = null;
    /** The item that the dialog follows. @type {string|null} */
    this.followed = null;
    /** @type {PendingView|null} */
    this.view = null;
    /** Counts openings: what is left of an earlier one changes nothing. */
    this.opening = 0;
    /** @type {HTMLDialogElement} */
    this.dialog = byId('document-dialog');
    this.form = byId('document-form');
    this.title = byId('document-title');
    this.text = byId('document-text');
    this.input = byId('document-file');
    this.error = byId('document-error');
    this.save = byId('document-save');
    setText(byId('document-file-label'), `Choose ${formats(limits)}`);
    if (limits.upload_bytes) this.input.accept += ',.pdf,.docx,.html,.htm,application/pdf,text/html';
    this.input.addEventListener('change', () => void this.#choose(this.input.files[0]));
    byId('document-unchoose').addEventListener('click', () => this.#unchoose());
    this.dialog.addEventListener('close', () => this.#closed());
    this.form.addEventListener('submit', (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      void this.#save();
    });
    this.#acceptDrops(this.dialog);
    this.#acceptDrops(byId('app'));
  }

  /** @param {Request} request */
  open(request) {
    this.request = request;
    const version = request.document !== null;
    this.#say(version ? 'Add a new version' : 'Add a document', version
      ? `of “${request.documentTitle}”. Questions asked so far keep the version they were asked about.`
      : 'Everybody in your workspace can ask about it.');
    this.#follow(null);
    show(byId('document-title-field'), !version);
    this.title.value = request.documentTitle;
    this.text.value = request.text ?? '';
    this.#unchoose();
    this.#ready();
    if (!this.dialog.open) this.dialog.showModal();
    (version ? this.input : this.title).focus();
  }

  /** @param {string} title @param {string} note */
  #say(title, note) {
    setText(byId('document-dialog-title'), title);
    setText(byId('document-dialog-note'), note);
  }

  /** The form can be filled in and sent. */
  #ready() {
    this.opening += 1;
    setText(this.error, '');
    setText(this.save, this.request.document === null ? 'Add document' : 'Add version');
    this.save.removeAttribute('aria-disabled');
  }

  #closed() {
    this.opening += 1;
    this.followed = null;
    byId('document-pending').replaceChildren();
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
      const files = event.dataTransfer?.files;
      if (!files?.length) return;
      event.preventDefault();
      if (this.followed) return; // one at a time
      if (!this.dialog.open) this.open({ document: null, documentTitle: '' });
      void this.#choose(files[0]).then(() => {
        if (files.length > 1) setText(this.error, 'Only the first of the files was taken: they are added one at a time.');
      });
    });
  }

  /** @param {File|undefined} file */
  async #choose(file) {
    if (!file) return;
    this.#ready();
    const { opening } = this;
    try {
      const input = await readInput(file, this.limits);
      if (this.opening !== opening) return;
      this.chosen = { file, input };
    } catch (error) {
      this.#unchoose();
      this.#complain(error);
      return;
    }
    setText(byId('document-chosen-name'), `${file.name}, ${formatBytes(file.size)}`);
    show(byId('document-chosen'), true);
    show(byId('document-text-field'), false);
    if (this.title.value.trim() === '') this.title.value = this.chosen.input.title;
  }

  #unchoose() {
    this.chosen = null;
    this.input.value = '';
    show(byId('document-chosen'), false);
    show(byId('document-text-field'), true);
  }

  async #save() {
    if (this.save.hasAttribute('aria-disabled')) return;
    try {
      if (this.chosen && this.chosen.input.text === null) await this.#upload(this.chosen.file);
      else this.#saveText(this.chosen?.input.text ?? checkText(this.text.value, this.limits.document_bytes));
    } catch (error) {
      this.#ready();
      this.#complain(error);
    }
  }

  /** @param {string} text */
  #saveText(text) {
    const title = this.title.value.trim() || shorten(text, 60);
    this.dialog.close();
    this.actions.onText(this.request, title, text);
  }

  /**
   * The hash of the file is part of the announcement, which is stored before it is
   * sent.
   * @param {File} file
   */
  async #upload(file) {
    this.save.setAttribute('aria-disabled', 'true');
    setText(this.save, 'Reading the file');
    const { opening, request } = this;
    const title = this.title.value.trim() || shorten(file.name, 200);
    const sha256 = await sha256Of(file, (fraction) => {
      if (this.opening === opening) setText(this.save, `Reading the file, ${Math.floor(fraction * 100)} %`);
    }).catch(() => { throw unreadable(); });
    if (this.opening !== opening) return; // closed meanwhile
    const item = this.actions.onFile(request, title, file, sha256);
    this.#say(request.document === null ? 'Adding a document' : 'Adding a new version', 'You can close this: it goes on in the library, as long as this page is open.');
    this.#follow(item);
  }

  /** @param {string|null} item */
  #follow(item) {
    this.followed = item;
    this.view = null;
    show(this.form, item === null);
    show(byId('document-sending'), item !== null);
    if (item !== null) byId('document-background').focus();
  }

  /**
   * Keeps up with the item that is followed.
   * @param {import('./desk.js').Desk} desk
   * @param {import('./cards.js').Circumstances} circumstances
   */
  render(desk, circumstances) {
    if (!this.followed) return;
    const { item, outcome } = desk.outbox.read(this.followed);
    if (!item || outcome?.dismissed) {
      this.dialog.close();
      return;
    }
    if (!this.view) {
      this.view = new PendingView(desk, 'div', this.actions);
      byId('document-pending').replaceChildren(this.view.element);
    }
    if (outcome) setText(byId('document-dialog-note'), ''); // nothing goes on
    this.view.update({ item, outcome }, circumstances);
  }

  /**
   * An item has become a document; says whether it was followed here.
   * @param {string} item
   */
  done(item) {
    if (this.followed !== item) return false;
    this.dialog.close();
    return true;
  }

  /** @param {unknown} error */
  #complain(error) {
    if (!(error instanceof DocumentTextError)) throw error;
    setText(this.error, error.message);
  }
}
