// The dialog about one document: its versions and their states, and its deletion.

import { arrange, button, byId, h, setText, show, stateMark } from './dom.js';
import { currentOf, stateOf, versionFacts, versionText } from './versions.js';

/**
 * @typedef {import('./types.js').DocumentInfo} DocumentInfo
 * @typedef {import('./types.js').VersionInfo} VersionInfo
 */

/**
 * @typedef {object} VersionActions
 * @property {(info: DocumentInfo, version: number) => void} onRead
 * @property {(info: DocumentInfo, version: number) => void} onAsk
 * @property {(info: DocumentInfo) => void} onAdd
 * @property {(info: DocumentInfo) => Promise<string>} onDelete '' when it is gone, else why not
 */

export class VersionsDialog {
  /** @param {VersionActions} actions */
  constructor(actions) {
    this.actions = actions;
    /** @type {HTMLDialogElement} */
    this.dialog = byId('versions');
    /** @type {DocumentInfo|null} */
    this.info = null;
    this.list = byId('versions-list');
    this.confirm = byId('delete-confirm');
    this.error = byId('delete-error');
    this.deleting = false;
    /** @type {Map<string, VersionRow>} */
    this.rows = new Map();
    byId('new-version').onclick = () => {
      const { info } = this;
      this.dialog.close();
      if (info) this.actions.onAdd(info);
    };
    byId('delete-document').onclick = () => this.#ask(true);
    byId('delete-no').onclick = () => this.#ask(false);
    byId('delete-yes').onclick = () => void this.#delete();
    this.dialog.addEventListener('close', () => { this.info = null; });
  }

  /** @param {DocumentInfo} info @param {number|null} asked */
  open(info, asked) {
    this.info = info;
    setText(byId('versions-of'), info.title);
    this.deleting = false;
    this.#confirming(false);
    this.rows.clear();
    this.render(info, asked);
    this.dialog.showModal();
    byId('versions-title').focus();
  }

  /**
   * @param {DocumentInfo|null} info null when it is not there any more
   * @param {number|null} asked the version that the next question goes to
   */
  render(info, asked) {
    if (!this.info || this.deleting) return;
    if (!info) {
      this.dialog.close();
      return;
    }
    this.info = info;
    const now = Date.now();
    arrange(this.list, (info.versions ?? []).toReversed().map((version) => {
      const key = String(version.version);
      const row = this.rows.get(key) ?? new VersionRow(this.actions, () => this.info, () => this.dialog.close());
      this.rows.set(key, row);
      row.update(version, { current: version.version === currentOf(info), asked: version.version === asked, now });
      return row.element;
    }));
  }

  /** @param {boolean} confirming */
  #confirming(confirming) {
    show(this.confirm, confirming);
    show(this.list, !confirming);
    show(byId('versions-actions'), !confirming);
    setText(this.error, '');
    for (const id of ['delete-yes', 'delete-no']) byId(id).removeAttribute('aria-disabled');
    setText(byId('delete-yes'), 'Delete it');
  }

  /** @param {boolean} asking */
  #ask(asking) {
    if (this.deleting) return;
    this.#confirming(asking);
    byId(asking ? 'delete-no' : 'delete-document').focus();
  }

  async #delete() {
    const { info } = this;
    if (!info || this.deleting) return;
    this.deleting = true;
    setText(this.error, '');
    for (const id of ['delete-yes', 'delete-no']) byId(id).setAttribute('aria-disabled', 'true');
    setText(byId('delete-yes'), 'Deleting');
    const trouble = await this.actions.onDelete(info);
    this.deleting = false;
    if (this.info !== info) return; // closed, and perhaps opened for another document
    if (trouble === '') {
      this.dialog.close();
      return;
    }
    this.#confirming(true);
    setText(this.error, trouble);
    byId('delete-yes').focus();
  }
}

/** One version; its elements stay while it is shown, and the focus with them. */
class VersionRow {
  /**
   * @param {VersionActions} actions
   * @param {() => DocumentInfo|null} document
   * @param {() => void} close
   */
  constructor(actions, document, close) {
    /** @type {VersionInfo|null} */
    this.version = null;
    /** @param {(info: DocumentInfo, version: number) => void} act */
    const run = (act) => {
      const info = document();
      if (info && this.version) act(info, this.version.version);
    };
    this.name = h('h3', { class: 'version-name' });
    this.badge = h('span', { class: 'version-badge', text: 'Current' });
    this.headline = h('p', { class: 'headline' });
    this.advice = h('p', { class: 'advice' });
    this.facts = h('p', { class: 'version-facts', attributes: { dir: 'auto' } });
    this.read = button('Read', () => run(actions.onRead));
    this.ask = button('', () => run((info, version) => {
      close();
      actions.onAsk(info, version);
    }));
    this.asked = h('span', { class: 'version-asked', text: 'Your next question goes to it.' });
    this.element = h('li', { class: 'version-row' }, stateMark(), h('div', { class: 'version-body' },
      h('div', { class: 'version-head' }, this.name, this.badge), this.headline, this.advice, this.facts,
      h('div', { class: 'version-actions' }, this.read, this.ask, this.asked)));
  }

  /** @param {VersionInfo} version @param {{current: boolean, asked: boolean, now: number}} place */
  update(version, { current, asked, now }) {
    this.version = version;
    const state = stateOf(version);
    const { headline, advice } = versionText(version);
    this.element.dataset.state = state;
    setText(this.name, `Version ${version.version}`);
    show(this.badge, current && state === 'ready');
    setText(this.headline, headline);
    setText(this.advice, advice);
    show(this.advice, advice !== '');
    setText(this.facts, versionFacts(version, now));
    this.read.setAttribute('aria-label', `Read version ${version.version}`);
    setText(this.ask, `Ask about version ${version.version}`);
    this.ask.dataset.ask = String(version.version);
    show(this.read, state === 'ready');
    show(this.ask, state !== 'failed' && !asked);
    show(this.asked, state !== 'failed' && asked);
  }
}
