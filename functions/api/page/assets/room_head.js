// The head of the room: what the conversation is about, and which version of the
// document the next question goes to.

import { byId, h, setText, show } from './dom.js';
import { choices, versionNote } from './versions.js';

/**
 * @typedef {object} HeadState
 * @property {boolean} missing the address leads nowhere
 * @property {boolean} deleted the document was; the conversation is there
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
  }

  /** What the head says the room is. */
  get title() {
    return this.titleElement.textContent;
  }

  /** @param {HeadState} state */
  render({ missing, deleted, question, documentTitle, info, version }) {
    setText(this.titleElement, missing ? 'Not found' : question || documentTitle || 'Loading');
    const about = deleted ? 'Deleted document' : documentTitle;
    setText(this.documentElement, missing ? 'This does not exist, or it belongs to somebody else.' : question ? about : '');
    show(this.documentElement.parentElement, this.documentElement.textContent !== '');
    const there = info !== null && !missing && !deleted;
    show(this.select.parentElement, there && version !== null);
    show(byId('read'), there && version !== null);
    show(byId('show-versions'), there);
    show(byId('deleted-note'), deleted && !missing);
    if (there && version !== null) this.#renderVersions(info, version);
    const { text, tone } = there ? versionNote(info, version) : { text: '', tone: '' };
    setText(this.note, text);
    this.note.dataset.tone = tone;
    show(this.note, text !== '');
  }

  /** @param {import('./types.js').DocumentInfo} info @param {number} version */
  #renderVersions(info, version) {
    const { select } = this;
    const offered = choices(info, version);
    const drawn = JSON.stringify([info.id, offered]);
    if (select.dataset.drawn !== drawn) {
      select.dataset.drawn = drawn;
      select.replaceChildren(...offered.map(({ version: n, label }) => h('option', { text: label, attributes: { value: String(n) } })));
    }
    if (select.value !== String(version)) select.value = String(version);
  }
}
