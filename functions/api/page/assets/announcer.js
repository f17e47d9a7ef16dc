// Tells screen readers about changes, once each. The live region exists, empty,
// from the start: one that is inserted with its text is not read reliably.

const SETTLE_MS = 150;

export class Announcer {
  /** @param {HTMLElement} region an element with role="status" */
  constructor(region) {
    this.region = region;
    /** @type {string[]} */
    this.waiting = [];
    this.timer = 0;
    /** What was last said, or seen, about each thing. @type {Map<string, string>} */
    this.known = new Map();
  }

  /**
   * Says `text` unless the thing is already known to be in this state.
   * @param {string} key
   * @param {string} state
   * @param {string} text
   */
  changed(key, state, text) {
    if (this.known.get(key) === state) return;
    this.known.set(key, state);
    this.say(text);
  }

  /**
   * Takes a state as known without saying it: history that was just loaded.
   * @param {string} key
   * @param {string} state
   */
  seen(key, state) {
    if (!this.known.has(key)) this.known.set(key, state);
  }

  /** @param {string} from @param {string} to */
  renamed(from, to) {
    const state = this.known.get(from);
    if (state !== undefined && !this.known.has(to)) this.known.set(to, state);
  }

  /**
   * Changes of one moment become one text, because a second one would replace
   * the first before it is read.
   * @param {string} text
   */
  say(text) {
    this.waiting.push(text);
    if (this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.region.textContent = this.waiting.splice(0).join(' ');
    }, SETTLE_MS);
  }
}
