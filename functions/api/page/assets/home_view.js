// The start page: the sample with three questions for a first visit, and the
// way to one's own documents.

import { button, byId, h } from './dom.js';

const SAMPLE = {
  title: 'Harbour Street Tool Library: member handbook',
  about: 'A sample of ours: two pages of rules of a neighbourhood tool library.',
  url: new URL('sample.txt', import.meta.url),
  questions: [
    'How long can a member keep a tool?',
    'What happens when a tool comes back late?',
    'Who decides which tools are bought?',
  ],
};

export class HomeView {
  /**
   * @param {object} options
   * @param {import('./desk.js').Desk} options.desk
   * @param {string} options.formats what files can be added
   * @param {() => void} options.onAdd
   * @param {(intent: import('./types.js').Intent) => void} options.onAsk
   */
  constructor({ desk, formats, onAdd, onAsk }) {
    this.desk = desk;
    this.formats = formats;
    this.onAdd = onAdd;
    this.onAsk = onAsk;
    /** @type {HTMLElement} */
    this.element = byId('home');
    /** @type {Promise<string>|null} */
    this.sampleText = null;
    this.drawn = '';
    this.asked = false;
  }

  /** The person came here: one question may be asked from here. */
  enter() {
    this.asked = false;
  }

  render() {
    const { documents, conversations } = this.desk.library;
    const sample = [...documents.items.values()].find(({ title }) => title === SAMPLE.title);
    const drawn = JSON.stringify([documents.status, documents.items.size, conversations.items.size, sample?.id]);
    // The questions work before the lists are there, but not twice: a sample
    // that exists is found first.
    if (documents.status === 'ready') void this.#sample();
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const first = documents.items.size === 0;
    this.error = h('p', { class: 'field-error', attributes: { role: 'alert' } });
    this.element.replaceChildren(
      h('h1', { text: first ? 'Ask a document a question' : 'What would you like to ask?', attributes: { id: 'home-heading' } }),
      h('p', { class: 'home-lead', text: first
        ? 'Press Send once and get one saved reply, even when connections drop or a worker dies on the way.'
        : 'Choose a document or a conversation from the library, or start with the sample.' }),
      ...this.#recent(),
      this.#sampleCard(sample, documents.status === 'ready'),
      h('div', { class: 'home-own' },
        h('div', {}, h('h2', { text: 'Your own document' }), h('p', { text: `Paste text or choose ${this.formats}. You can also drop it here.` })),
        button('Add a document', () => this.onAdd(), 'quiet')));
  }

  /** @returns {HTMLElement[]} */
  #recent() {
    const recent = [...this.desk.library.conversations.items.values()].slice(0, 4);
    if (recent.length === 0) return [];
    return [h('div', { class: 'home-recent' }, h('h2', { text: 'Continue' }), h('ul', {}, ...recent.map(({ id, title, document }) =>
      h('li', {}, h('a', { attributes: { href: `#/c/${id}` } },
        h('span', { class: 'recent-title', text: title, attributes: { dir: 'auto' } }),
        h('span', { class: 'recent-document', text: this.desk.library.documents.items.get(document)?.title ?? '', attributes: { dir: 'auto' } }))))))];
  }

  /** @param {import('./types.js').DocumentInfo|undefined} sample @param {boolean} ready */
  #sampleCard(sample, ready) {
    const questions = SAMPLE.questions.map((question) => {
      const ask = button(question, () => void this.#ask(question, sample), 'suggestion');
      ask.disabled = !ready;
      return h('li', {}, ask);
    });
    return h('div', { class: 'sample' },
      h('h2', { text: SAMPLE.title }), h('p', { class: 'sample-about', text: SAMPLE.about }),
      h('ul', { class: 'suggestions', attributes: { 'aria-label': 'Suggested questions' } }, ...questions), this.error ?? null);
  }

  /**
   * @param {string} text
   * @param {import('./types.js').DocumentInfo|undefined} sample
   */
  async #ask(text, sample) {
    // A second click, of a double click or while the sample is still loading.
    if (this.asked) return;
    this.asked = true;
    const version = sample && this.desk.library.askedVersion(sample);
    if (sample && version) {
      this.onAsk({ text, document: sample.id, version, history: [] });
      return;
    }
    try {
      this.onAsk({ text, title: SAMPLE.title, documentText: await this.#sample(), history: [] });
    } catch {
      this.asked = false;
      if (this.error) this.error.textContent = 'The sample could not be loaded. Check the connection and press the question again.';
    }
  }

  #sample() {
    this.sampleText ??= fetch(SAMPLE.url).then((response) => {
      if (!response.ok) throw new Error(`sample: ${response.status}`);
      return response.text();
    });
    this.sampleText.catch(() => { this.sampleText = null; });
    return this.sampleText;
  }
}
