// From data to cards. One question is one card with one place for the reply,
// whatever number of attempts, tabs and replies there are. Pure functions.

import { hasEnded } from './model.js';
import { itemText, taskText } from './wording.js';
import { idsInLocation } from './outcome.js';

/**
 * @typedef {import('./types.js').Task} Task
 * @typedef {import('./types.js').Message} Message
 * @typedef {import('./types.js').OutboxItem} OutboxItem
 * @typedef {import('./types.js').ItemOutcome} ItemOutcome
 * @typedef {{item: OutboxItem, outcome: ItemOutcome|null}} Pending
 * @typedef {{online: boolean, signedIn: boolean, now: number, deleted?: boolean, indexing?: number[]}} Circumstances of the document: whether it was deleted, versions that are being read
 * @typedef {{messages: Set<string>, clockOffset: number}} Settled messages whose item has ended, and server clock minus ours
 */

/**
 * @typedef {'stop'|'regenerate'|'ask-again'|'edit'|'try-again'|'give-up'|'dismiss'|'show-earlier'|'sign-in'} CardAction
 */

/**
 * @typedef {object} Card
 * @property {string} key stable identity on the page
 * @property {string} question
 * @property {string} version document version asked about; '' when not known
 * @property {boolean} readable whether that version can be looked at
 * @property {string} askedAt ISO time
 * @property {Task[]} replies saved ones, oldest first
 * @property {Task|null} task the newest one
 * @property {Task[]} tasks all of them, oldest first
 * @property {string|null} itemId the outbox item that the card shows
 * @property {string|null} messageId
 * @property {import('./wording.js').StateText} state
 * @property {number} since when the present wait began (ms), by the server's clock unless `local`
 * @property {boolean} local whether `since` is by this browser's clock
 * @property {boolean} busy
 * @property {CardAction[]} actions
 * @property {string|null} link where a refused item's earlier task is shown
 */

/**
 * @param {import('./model.js').ConversationModel|null} model
 * @param {Pending[]} pending items that belong to this view
 * @param {Circumstances} circumstances
 * @param {Settled} settled
 * @returns {Card[]}
 */
export function buildCards(model, pending, circumstances, settled) {
  const regenerations = new Map(
    pending.filter(({ item }) => item.kind === 'regenerate').map((entry) => [entry.item.intent.message, entry]),
  );
  const cards = (model?.inOrder() ?? []).map((message) =>
    messageCard(message, model?.tasksOf(message.id) ?? [], regenerations.get(message.id), circumstances));
  for (const [message, tasks] of groupByMessage(model?.orphans() ?? [])) {
    cards.push(orphanCard(message, tasks, regenerations.get(message), circumstances));
  }
  for (const entry of pending) {
    const arrived = model && entry.outcome === null && arrivedAs(entry.item, model.inOrder(), settled);
    if (entry.item.kind === 'ask' && !arrived) cards.push(itemCard(entry, circumstances));
  }
  return cards;
}

// Room for the difference between two clocks that are read seconds apart.
const CLOCK_SLACK_MS = 5000;

/**
 * Whether a question without an answer so far is already in the conversation:
 * the submit arrived and its answer was lost. It is then shown once, as the
 * message. The server does not tell keys, so this goes by content and time, and
 * a message that another item became is never taken. It only decides what is
 * shown: the same request is sent until it has its own answer.
 * @param {OutboxItem} item
 * @param {Message[]} messages
 * @param {Settled} settled
 */
export function arrivedAs(item, messages, { messages: taken, clockOffset }) {
  const { text, version, history = [] } = item.intent;
  if (item.kind !== 'ask' || !item.attempted) return undefined;
  return messages.find((message) => !taken.has(message.id)
    && message.text === text && message.version === version && message.history.join() === history.join()
    && Date.parse(message.created_at) >= item.createdAt + clockOffset - CLOCK_SLACK_MS);
}

/**
 * @param {Message} message
 * @param {Task[]} tasks
 * @param {Pending|undefined} regeneration
 * @param {Circumstances} circumstances
 * @returns {Card}
 */
function messageCard(message, tasks, regeneration, circumstances) {
  const replies = tasks.filter((task) => task.status === 'completed');
  const task = tasks[tasks.length - 1] ?? null;
  const card = {
    key: message.id, question: message.text, version: String(message.version), readable: !circumstances.deleted, askedAt: message.created_at,
    replies, task, tasks, messageId: message.id, link: null,
  };
  if (regeneration) return { ...card, ...itemPart(regeneration, circumstances) };
  if (!task) {
    // The message is on this page of the history and its task on a newer one.
    return { ...card, itemId: null, state: { name: 'waiting', headline: 'Looking for the reply.', advice: '' }, since: 0, local: false, busy: true, actions: [] };
  }
  // A service that does not say so: the version asked about is not ready yet.
  const waits = task.status === 'pending' && !task.waiting_for && circumstances.indexing?.includes(message.version);
  return { ...card, ...taskPart(waits ? { ...task, waiting_for: message.version } : task, replies.length, circumstances) };
}

/**
 * @param {Task} task
 * @param {number} saved
 * @param {Circumstances} circumstances
 */
function taskPart(task, saved, { deleted = false }) {
  const busy = !hasEnded(task);
  const state = deleted && task.failure?.reason === 'document_unreadable' ? DELETED : taskText(task, saved);
  return {
    itemId: null, state, since: Date.parse(task.created_at), local: false, busy,
    // Of a deleted document there is nothing more to ask.
    actions: taskActions(task).filter((action) => !deleted || action === 'stop'),
  };
}

/** @type {import('./wording.js').StateText} */
const DELETED = { name: 'failed', headline: 'The document was deleted before a reply was saved.', advice: '' };

/** @param {Task} task @returns {CardAction[]} */
function taskActions(task) {
  switch (task.status) {
    case 'completed': return ['regenerate'];
    case 'failed':
    case 'cancelled': return ['ask-again', 'edit'];
    default: return ['stop'];
  }
}

/** @param {Pending} entry @param {Circumstances} circumstances */
function itemPart({ item, outcome }, circumstances) {
  const state = itemText(item, outcome, circumstances);
  return {
    itemId: item.id, state, since: item.createdAt, local: true, busy: state.name === 'sending' || state.name === 'resending',
    actions: itemActions(item, state.name), link: linkOf(outcome),
  };
}

/** @param {OutboxItem} item @param {string} state @returns {CardAction[]} */
function itemActions(item, state) {
  switch (state) {
    case 'unknown': return ['try-again', 'give-up'];
    case 'signed-out': return ['sign-in'];
    // Only what certainly never left can be taken back.
    case 'offline': return item.attempted ? [] : ['give-up'];
    case 'refused': return item.kind === 'regenerate' ? ['dismiss'] : ['edit', 'dismiss'];
    default: return [];
  }
}

/** @param {ItemOutcome|null} outcome @returns {string|null} */
export function linkOf(outcome) {
  const { conversation, document } = idsInLocation(outcome?.refusal?.location);
  if (conversation) return `#/c/${conversation}`;
  return document ? `#/d/${document}` : null;
}

/** @param {Pending} entry @param {Circumstances} circumstances @returns {Card} */
function itemCard(entry, circumstances) {
  const { item } = entry;
  return {
    key: `item:${item.id}`, question: item.intent.text ?? '', version: item.intent.version ? String(item.intent.version) : '', readable: false,
    askedAt: new Date(item.createdAt).toISOString(), replies: [], task: null, tasks: [], messageId: null,
    ...itemPart(entry, circumstances),
  };
}

/**
 * A newer reply to a question that stands on a page not loaded yet.
 * @param {string} message
 * @param {Task[]} tasks
 * @param {Pending|undefined} regeneration
 * @param {Circumstances} circumstances
 * @returns {Card}
 */
function orphanCard(message, tasks, regeneration, circumstances) {
  const card = messageCard(
    { id: message, text: '', document: '', version: 0, history: [], created_at: tasks[0].created_at }, tasks, regeneration, circumstances);
  return { ...card, version: '', actions: [...card.actions.filter((action) => action === 'stop'), 'show-earlier'] };
}

/** @param {Task[]} tasks @returns {Map<string, Task[]>} */
function groupByMessage(tasks) {
  /** @type {Map<string, Task[]>} */
  const groups = new Map();
  for (const task of tasks) groups.set(task.message, [...(groups.get(task.message) ?? []), task]);
  return groups;
}
