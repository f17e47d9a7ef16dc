// One conversation as the page knows it: what the server said, merged from
// pages, polls and answers that arrive in any order.

/**
 * @typedef {import('./types.js').Task} Task
 * @typedef {import('./types.js').Message} Message
 * @typedef {import('./types.js').Conversation} Conversation
 * @typedef {{conversation: Conversation, messages: Message[], tasks: Task[], next: string|null}} Page
 */

const ENDED = new Set(['completed', 'failed', 'cancelled']);

/** @param {Task} task */
export function hasEnded(task) {
  return ENDED.has(task.status);
}

/**
 * Whether an answer about a task is newer than what is known. A slow answer
 * from before the end must not bring a finished task back to work, and the
 * assignment version never goes back.
 * @param {Task|undefined} known
 * @param {Task} told
 */
function isNews(known, told) {
  if (!known) return true;
  if (hasEnded(known)) return false;
  return told.assignment_version >= known.assignment_version || hasEnded(told);
}

export class ConversationModel {
  /** @param {string} id */
  constructor(id) {
    this.id = id;
    /** @type {Conversation|null} */
    this.info = null;
    /** @type {Map<string, Message>} */
    this.messages = new Map();
    /** @type {Map<string, Task>} */
    this.tasks = new Map();
    /** Cursor of the entries before the oldest known. @type {string|null} */
    this.older = null;
    /** ETag of the newest page. @type {string|undefined} */
    this.etag = undefined;
    this.loaded = false;
  }

  /**
   * The newest page. When it joins nothing that is known, entries between were
   * missed (another device was busy); starting over from here leaves no hole.
   * @param {Page} page
   */
  applyNewest(page) {
    const joins = page.next === null || [...page.messages, ...page.tasks].some(({ id }) => this.messages.has(id) || this.tasks.has(id));
    if (this.loaded && !joins) {
      this.messages.clear();
      this.tasks.clear();
      this.loaded = false;
    }
    if (!this.loaded) this.older = page.next;
    this.#merge(page);
    this.loaded = true;
  }

  /** @param {Page} page */
  applyOlder(page) {
    this.older = page.next;
    this.#merge(page);
  }

  /** @param {Page} page */
  #merge(page) {
    this.info = page.conversation;
    for (const message of page.messages) this.messages.set(message.id, message);
    for (const task of page.tasks) this.applyTask(task);
  }

  /** @param {Task} task @returns {boolean} whether it was news */
  applyTask(task) {
    if (!isNews(this.tasks.get(task.id), task)) return false;
    this.tasks.set(task.id, task);
    return true;
  }

  /** @param {Message} message */
  applyMessage(message) {
    if (!this.messages.has(message.id)) this.messages.set(message.id, message);
  }

  /** Messages in time order: ids are ULIDs. @returns {Message[]} */
  inOrder() {
    return [...this.messages.values()].sort(byId);
  }

  /** @param {string} message @returns {Task[]} in time order */
  tasksOf(message) {
    return [...this.tasks.values()].filter((task) => task.message === message).sort(byId);
  }

  /**
   * Tasks whose message stands on a page not loaded yet: a question asked long
   * ago and regenerated lately.
   * @returns {Task[]}
   */
  orphans() {
    return [...this.tasks.values()].filter((task) => !this.messages.has(task.message)).sort(byId);
  }

  /** @returns {Task[]} */
  openTasks() {
    return [...this.tasks.values()].filter((task) => !hasEnded(task));
  }

  /**
   * What the next question is sent with: the newest saved reply of each question
   * on the page, the latest `limit` of them, in the order of the questions.
   * @param {number} limit
   * @returns {string[]}
   */
  history(limit) {
    const ids = this.inOrder().flatMap((message) => {
      const saved = this.tasksOf(message.id).filter((task) => task.status === 'completed');
      return saved.length ? [saved[saved.length - 1].id] : [];
    });
    return limit > 0 ? ids.slice(-limit) : [];
  }
}

/** @param {{id: string}} a @param {{id: string}} b */
function byId(a, b) {
  return a.id < b.id ? -1 : 1;
}
