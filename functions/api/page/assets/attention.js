// Tells a person who looks elsewhere that a reply is ready: by the title, and by
// one notification where that was allowed.

export class Attention {
  /**
   * @param {object} options
   * @param {import('./storage.js').LayeredStorage} options.storage
   * @param {string} options.prefix
   * @param {(conversation: string) => void} options.onOpen
   */
  constructor({ storage, prefix, onOpen }) {
    this.storage = storage;
    this.prefix = `${prefix}notified/`;
    this.onOpen = onOpen;
    this.title = document.title;
    this.ready = 0;
  }

  /** @param {string} title */
  setTitle(title) {
    this.title = title;
    this.#show();
  }

  #show() {
    const lead = { 0: '', 1: 'Reply ready · ' }[this.ready] ?? `${this.ready} replies ready · `;
    document.title = lead + this.title;
  }

  /** The person is looking. */
  seen() {
    this.ready = 0;
    this.#show();
  }

  /** Whether asking for permission makes sense now. */
  canAsk() {
    return 'Notification' in globalThis && globalThis.isSecureContext && Notification.permission === 'default';
  }

  /** To be called from a click only; browsers punish anything else. */
  async ask() {
    return (await Notification.requestPermission()) === 'granted';
  }

  /**
   * @param {import('./types.js').Task} task
   * @param {string} question
   */
  replyReady(task, question) {
    if (!document.hidden) return;
    this.ready += 1;
    this.#show();
    if (!('Notification' in globalThis) || Notification.permission !== 'granted') return;
    // Every hidden tab learns about the reply. The mark stops most repeats and
    // the tag the rest: the browser shows one notification per tag.
    const mark = this.prefix + task.id;
    if (this.storage.get(mark)) return;
    this.storage.set(mark, String(Date.now()));
    try {
      const notification = new Notification('Your reply is ready', { body: question, tag: task.id });
      notification.onclick = () => {
        window.focus();
        this.onOpen(task.conversation);
        notification.close();
      };
    } catch {
      // Some phones have the object but allow it in service workers only.
    }
  }

  /** Marks are needed for as long as tabs may still poll the task. @param {number} now */
  purge(now) {
    for (const key of this.storage.keys(this.prefix)) {
      if (now - Number(this.storage.get(key)) > 24 * 3600 * 1000) this.storage.remove(key);
    }
  }
}
