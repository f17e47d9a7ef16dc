// The head of the room: what the conversation is about, and which version of the
// document the next question goes to.

import { byId, h, setText, show } from './dom.js';

/**
 * @typedef {object} HeadState
 * @property {boolean} missing the address leads nowhere
 * @property {string} question what opened the conversation; '' before that
 * @property {string} documentTitle
 * @property {import('./types.js').DocumentInfo|null} info
 * @property {number|null} version the one shown
 */

export class RoomHead {
  /** @param {(version: number) => void} onVersion */
  constructor(onVersion) {
    this.titleElement = byId('room-title');
    this.documentElement = byId('room-document');
    this.note = byId('version-note');
    /** @type {HTMLSelectElement} */
    this.select = byId('version');
    this.select.onchange = () => onVersion(Number(this.select.value));
    this.tools = [this.select.parentElement, byId('read'), byId('new-version')];
  }

  /** What the head says the room is. */
  get title() {
    return this.titleElement.textContent;
  }

  /** @param {HeadState} state */
  render({ missing, question, documentTitle, info, version }) {
    setText(this.titleElement, missing ? 'Not found' : question || documentTitle || 'Loading');
    setText(this.documentElement, missing ? 'This does not exist, or it belongs to somebody else.' : question ? documentTitle : '');
    show(this.documentElement.parentElement, this.documentElement.textContent !== '');
    const usable = info !== null && version !== null && !missing;
    for (const tool of this.tools) show(tool, usable);
    if (usable) this.#renderVersions(info, version);
    const older = usable && info.latest_version > version;
    setText(this.note, older ? `You are asking about version ${version}. The newest is version ${info.latest_version}.` : '');
    show(this.note, older);
  }

  /** @param {import('./types.js').DocumentInfo} info @param {number} version */
  #renderVersions(info, version) {
    const { select } = this;
    if (select.options.length !== info.latest_version || select.dataset.document !== info.id) {
      select.dataset.document = info.id;
      const numbers = Array.from({ length: info.latest_version }, (_, index) => info.latest_version - index);
      select.replaceChildren(...numbers.map((n) => h('option', { text: `Version ${n}`, attributes: { value: String(n) } })));
    }
    if (select.value !== String(version)) select.value = String(version);
  }
}
