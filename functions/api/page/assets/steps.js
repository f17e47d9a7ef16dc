// The requests behind one action of the person. Asking about the sample takes
// three: add the document, open a conversation, send the question. So does adding a
// file: announce it, put it to object storage, complete the upload. Each has its own
// key, made when the action is, and its own exact body.

import { versionInLocation } from './outcome.js';
import { newKey } from './random.js';
import { shorten } from './text.js';

/**
 * @typedef {import('./types.js').OutboxItem} OutboxItem
 * @typedef {import('./types.js').Intent} Intent
 * @typedef {import('./types.js').Step} Step
 * @typedef {import('./types.js').StepResult} StepResult
 */

/**
 * Makes an item for an action. The first request is written out at once; later
 * ones need ids that only the earlier answers bring.
 * @param {OutboxItem['kind']} kind
 * @param {Intent} intent
 * @param {number} now
 * @returns {OutboxItem}
 */
export function newItem(kind, intent, now) {
  const steps = operations(kind, intent).map((op) => ({ op, key: newKey(), path: null, body: null, result: null }));
  /** @type {OutboxItem} */
  const item = {
    id: newKey(), kind, createdAt: now, intent, steps,
    at: 0, tries: 0, nextAt: 0, serverAsked: false, state: 'sending', attempted: false, lease: null,
  };
  freezeCurrentStep(item);
  return item;
}

/**
 * @param {OutboxItem['kind']} kind
 * @param {Intent} intent
 * @returns {Step['op'][]}
 */
function operations(kind, intent) {
  switch (kind) {
    case 'add-document': return intent.file ? ['upload', 'put', 'complete'] : ['document'];
    case 'add-version': return intent.file ? ['upload', 'put', 'complete'] : ['version'];
    case 'regenerate': return ['regenerate'];
    default: {
      /** @type {Step['op'][]} */
      const ops = [];
      if (!intent.conversation && !intent.document) ops.push('document');
      if (!intent.conversation) ops.push('conversation');
      return [...ops, 'message'];
    }
  }
}

/**
 * Writes out path and body of the current step, once. Two tabs that do this for
 * one item get the same bytes: everything comes from the intent and from ids
 * that the server answers alike for one key.
 * @param {OutboxItem} item
 */
export function freezeCurrentStep(item) {
  const step = item.steps[item.at];
  if (step.path !== null) return;
  const known = knownIds(item);
  const { intent } = item;
  switch (step.op) {
    case 'document':
      freeze(step, 'v1/documents', { title: intent.title, text: intent.documentText });
      break;
    case 'version':
      freeze(step, `v1/documents/${known.document}/versions`, { text: intent.documentText });
      break;
    case 'upload': {
      const { name = '', bytes, sha256, type } = intent.file ?? {};
      // Of a document that there is, its title stays.
      freeze(step, 'v1/uploads', {
        document: intent.document, title: intent.title, file_name: name, bytes, sha256, media_type: type || undefined,
      });
      break;
    }
    case 'put': // signed anew for each try, see uploads.js
      Object.assign(step, { path: '', body: '' });
      break;
    case 'complete': // idempotent by the upload's own id
      Object.assign(step, { path: `v1/uploads/${known.upload}/complete`, body: '', key: '' });
      break;
    case 'conversation':
      freeze(step, 'v1/conversations', { document: known.document, title: shorten(intent.text ?? '', 80) });
      break;
    case 'message':
      freeze(step, `v1/conversations/${known.conversation}/messages`, {
        text: intent.text, document: known.document, version: known.version, history: intent.history ?? [],
        on_unknown: intent.onUnknown, // left out when nothing was chosen
      });
      break;
    case 'regenerate':
      freeze(step, `v1/conversations/${known.conversation}/messages/${known.message}/regenerate`, { on_unknown: intent.onUnknown });
  }
}

/** @param {Step} step @param {string} path @param {object} body */
function freeze(step, path, body) {
  step.path = path;
  step.body = JSON.stringify(body);
}

/**
 * The ids that the item knows by now: given with the action, or answered.
 * @param {OutboxItem} item
 * @returns {StepResult}
 */
export function knownIds(item) {
  const { document, version, conversation, message } = item.intent;
  return Object.assign({ document, version, conversation, message }, ...item.steps.map((step) => step.result ?? {}));
}

/**
 * Takes from an answer what later steps need, or null when the answer is not
 * what the operation returns; it then proves nothing.
 * @param {Step['op']} op
 * @param {any} body
 * @param {string} [location] of what was made
 * @returns {StepResult|null}
 */
export function resultOf(op, body, location) {
  if (op === 'put') return {};
  if (op === 'upload') return typeof body?.upload?.id === 'string' ? { upload: body.upload.id } : null;
  if (typeof body?.id !== 'string') return null;
  switch (op) {
    // A new document starts with version 1. Its latest version is no
    // substitute: a repeat answers with the document as it is by then.
    case 'document': return { document: body.id, version: 1 };
    case 'version':
    case 'complete': return { document: body.id, version: versionInLocation(location) ?? body.latest_version };
    case 'conversation': return { conversation: body.id };
    default:
      if (typeof body.message !== 'string') return null;
      return { conversation: body.conversation, message: body.message, task: body.id };
  }
}
