// What a card says, in plain words. One place for all sentences about states,
// so that they can be read, compared and tested together.

import { formatMoment, plural } from './text.js';

/**
 * @typedef {import('./types.js').Task} Task
 * @typedef {import('./types.js').OutboxItem} OutboxItem
 * @typedef {import('./types.js').ItemOutcome} ItemOutcome
 */

/**
 * @typedef {object} StateText
 * @property {'sending'|'uploading'|'file'|'resending'|'offline'|'signed-out'|'unknown'|'refused'|'waiting'|'working'|'again'|'saved'|'stopped'|'failed'} name
 * @property {string} headline
 * @property {string} advice what to do or to know; may be empty
 * @property {number} [until] when something happens next (ms), for a countdown
 */

const CLOSE = 'You can close this page. The reply will be here when you come back.';

/** @type {Record<string, [string, string]>} */
const FAILURES = {
  deadline: [
    'There was no reply within the time limit.',
    'Ask again. If that ends the same way, the service is short of workers: tell whoever runs it.',
  ],
  attempts_exhausted: [
    'Every attempt failed.',
    'Ask again in a few minutes. If that ends the same way, tell whoever runs this service.',
  ],
  outcome_unknown: [
    'The provider was asked, and nobody saw how that ended.',
    'This service does not ask twice by itself, because both calls may cost. Ask again if you accept that.',
  ],
  declined: [
    'The provider declined to answer this question.',
    'Word it differently and ask again.',
  ],
  empty_reply: [
    'The provider sent an empty reply, which is never saved.',
    'Ask again, or word the question differently.',
  ],
  input_too_large: [
    'The question and its document are too long for the model.',
    'Ask about a shorter document, or add only the part that matters as a document of its own.',
  ],
  reply_too_large: [
    'The reply was longer than this service can save.',
    'Ask for less at a time.',
  ],
  provider_quota: [
    'The quota at the provider is used up.',
    'Asking again will not help before it is raised or renewed: tell whoever runs this service.',
  ],
  provider_refused: [
    'The provider refused the request.',
    'Word the question differently. If every question ends like this, tell whoever runs this service.',
  ],
  provider_misconfigured: [
    'The provider does not accept this service’s settings.',
    'Your question is fine. Tell whoever runs this service, then ask again.',
  ],
  document_unreadable: [
    'This version of the document could not be read.',
    'Look at its versions to see why. Add another one, then edit the question and ask again.',
  ],
  budget_exhausted: [
    'The calls allowed for one question are used up.',
    'Ask again to start with a new allowance.',
  ],
};

/** @param {string} reason @returns {[string, string]} what happened, what to do */
export function failureText(reason) {
  return FAILURES[reason] ?? ['No reply could be made.', `Ask again. The reason given was “${reason}”.`];
}

export const FAILURE_REASONS = Object.keys(FAILURES);

/** @param {number} n */
function ordinal(n) {
  return ['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh', 'Eighth'][n - 1] ?? `${n}th`;
}

/**
 * Why a running attempt is not the first one.
 * @param {Task} task
 */
function repeatHeadline(task) {
  const attempt = ordinal(Math.max(2, task.attempts));
  switch (task.previous_attempt) {
    case 'worker_lost':
      return `${attempt} attempt: the ${task.attempts > 2 ? 'last' : 'first'} worker stopped answering.`;
    case 'unknown':
      return `${attempt} attempt: nobody saw how the ${task.attempts > 2 ? 'last' : 'first'} one ended.`;
    case 'rejected':
      return 'Trying again: the provider was busy and turned the question away.';
    default:
      return '';
  }
}

/**
 * Why the next attempt is not the first one, while it waits.
 * @param {Task} task
 */
function waitHeadline(task) {
  switch (task.previous_attempt) {
    case 'worker_lost': return 'The worker stopped answering. Another one will take over.';
    case 'unknown': return 'Nobody saw how the attempt ended. One more is coming.';
    case 'rejected': return 'The provider is busy. The next try comes by itself.';
    default: return 'Waiting for a worker.';
  }
}

/** @param {NonNullable<Task['waiting_for']>} what */
function waitingText(what) {
  const version = typeof what === 'object' ? what.version : what;
  return `${typeof version === 'number' ? `Version ${version}` : 'The document'} is being read; your question waits for it.`;
}

/**
 * @param {Task} task
 * @param {number} saved how many replies the question has
 * @returns {StateText}
 */
export function taskText(task, saved = 1) {
  switch (task.status) {
    case 'pending': {
      if (task.waiting_for) return { name: 'waiting', headline: waitingText(task.waiting_for), advice: CLOSE };
      const next = task.next_attempt_at ? Date.parse(task.next_attempt_at) : NaN;
      return { name: 'waiting', headline: waitHeadline(task), advice: CLOSE, until: Number.isNaN(next) ? undefined : next };
    }
    case 'running': {
      const repeat = repeatHeadline(task);
      return { name: repeat ? 'again' : 'working', headline: repeat || 'Working on your reply.', advice: CLOSE };
    }
    case 'completed':
      return { name: 'saved', headline: saved > 1 ? `Saved. This question has ${plural(saved, 'reply', 'replies')}.` : 'Saved.', advice: '' };
    case 'cancelled':
      return { name: 'stopped', headline: 'Stopped.', advice: 'No reply was saved, and one that comes late is turned away.' };
    case 'failed': {
      const [headline, advice] = failureText(task.failure?.reason ?? '');
      return { name: 'failed', headline, advice };
    }
    default:
      return { name: 'waiting', headline: 'In a state that this page does not know.', advice: 'Reload the page to get its newest version.' };
  }
}

const WHAT = {
  'ask': 'question',
  'regenerate': 'request',
  'add-document': 'document',
  'add-version': 'new version',
};

/**
 * @param {OutboxItem} item
 * @param {ItemOutcome|null} outcome
 * @param {{online: boolean, signedIn: boolean, now: number}} circumstances
 * @returns {StateText}
 */
export function itemText(item, outcome, { online, signedIn, now }) {
  const what = WHAT[item.kind];
  if (outcome?.refusal) return refusalText(outcome.refusal, what);
  if (item.state === 'unknown' && ['upload', 'put'].includes(item.steps[item.at].op)) {
    return { name: 'unknown', headline: 'The file could not be sent.', advice: 'Nothing was added yet. Trying again goes on with the same upload.' };
  }
  if (item.state === 'unknown') {
    return {
      name: 'unknown',
      headline: `We do not know yet whether your ${what} arrived.`,
      advice: `Trying again is safe: it sends the same ${what} with the same key, so it cannot count twice.`,
    };
  }
  if (item.state === 'file') {
    return {
      name: 'file', headline: 'The file is needed again.',
      advice: `“${item.intent.file?.name}” had not been sent when this page was left or reloaded. Choose the same file, and it goes on.`,
    };
  }
  if (!signedIn) {
    return { name: 'signed-out', headline: 'Your sign-in is over.', advice: `Sign in again, and this ${what} goes on by itself.` };
  }
  if (!online) {
    return { name: 'offline', headline: 'You are offline.', advice: `Your ${what} is kept in this browser and goes out when you are back.` };
  }
  if (item.tries > 0) {
    return {
      name: 'resending',
      headline: 'No answer yet.',
      advice: `The same ${what} is sent again by itself. It cannot count twice.`,
      until: item.nextAt > now ? item.nextAt : undefined,
    };
  }
  const headline = {
    document: 'Adding the document.', version: 'Adding the new version.', conversation: 'Opening a conversation.',
    upload: 'Preparing to send the file.', complete: item.kind === 'add-version' ? 'Adding the new version.' : 'Adding the document.',
  };
  const op = item.steps[item.at].op;
  if (op === 'put') return { name: 'uploading', headline: 'Sending the file.', advice: '' };
  return { name: 'sending', headline: op in headline ? headline[/** @type {keyof headline} */ (op)] : `Sending your ${what}.`, advice: '' };
}

/**
 * @param {NonNullable<ItemOutcome['refusal']>} refusal
 * @param {string} what
 * @returns {StateText}
 */
function refusalText({ status, code, detail, op }, what) {
  /** @param {string} headline @param {string} advice @returns {StateText} */
  const say = (headline, advice) => ({ name: 'refused', headline, advice });
  switch (code) {
    case 'idempotency_window_over':
      return say('This was sent before, too long ago to be sent again.', 'Nothing new was started. Look at what became of it, or ask it as a new question.');
    case 'gone':
      return say('This was sent before, and what it made has been removed since.', 'Nothing new was started. Ask it as a new question if you still need it.');
    case 'idempotency_key_reused':
      return say('The key of this question already belongs to another one.', 'Nothing was saved. Ask it as a new question.');
    case 'message_too_large':
      return say('The question is too long.', 'Nothing was saved. Shorten it and send it again.');
    case 'document_too_large':
      return say('The document is larger than 1 MiB.', 'Nothing was saved. Add a part of it.');
    case 'version_failed':
      return say('This version of the document cannot be read.', 'Nothing was saved. Choose another one under “Versions”, or add one, and ask again.');
    case 'file_too_large':
      return say('The file is larger than this service takes.', 'Nothing was added. Split it, and add the parts.');
    case 'file_changed':
      return say('The file was changed, moved or removed while it was being sent.', 'Nothing was added. Add it again.');
    case 'upload_mismatch':
    case 'upload_incomplete':
      return say('The file did not arrive as it was announced.', 'Nothing was added. Add it again.');
    case 'body_too_large':
      return say(`The ${what} is too large.`, 'Nothing was saved. Shorten it and send it again.');
    case 'not_found':
      return say(notFound(op), 'Nothing was saved. Choose another document or conversation and ask there.');
    default:
      if (status === 403) return say('You may not do this here.', 'Nothing was saved. Ask whoever runs this service for access.');
      return say(`The service did not accept this ${what}.`, `Nothing was saved. ${detail || 'Change it and send it again.'}`);
  }
}

/** @param {string} op */
function notFound(op) {
  return op === 'version' || op === 'conversation' || op === 'upload' || op === 'complete' ? 'This document does not exist any more.' : 'This conversation or document does not exist any more.';
}

/** Sentence for the button that makes another reply. */
export const COST_NOTE = 'Makes another reply, which may cost another call.';

/**
 * Facts behind the disclosure, as label and value.
 * @param {Task} task
 * @returns {[string, string][]}
 */
export function spendFacts(task) {
  const { spend } = task;
  /** @type {[string, string][]} */
  const facts = [
    ['Attempts', `${task.attempts} used, ${task.attempts_left} left`],
    ['Provider calls', callsText(task)],
  ];
  if (spend.input_tokens || spend.output_tokens) {
    facts.push(['Tokens', `${spend.input_tokens.toLocaleString('en')} in, ${spend.output_tokens.toLocaleString('en')} out`]);
  }
  if (spend.money) facts.push(['Money', formatMoney(spend.money)]);
  if (spend.calls_saved) facts.push(['Calls saved', `${spend.calls_saved}, by looking up what a lost worker had begun`]);
  for (const refused of spend.refused_answers) {
    const hash = refused.sha256 ? `, SHA-256 ${refused.sha256.slice(0, 12)}…` : '';
    facts.push(['Turned away', `a late answer of ${plural(refused.bytes, 'byte')} from assignment ${refused.assignment_version}${hash}`]);
  }
  for (const attempt of task.attempt_log ?? []) facts.push(['Nobody saw the end', attemptText(attempt)]);
  facts.push(['Assignment version', String(task.assignment_version)]);
  facts.push(['If an outcome stays unknown', task.on_unknown === 'retry' ? 'ask the provider once more' : 'stop']);
  return facts;
}

/**
 * Money as far as it is known: the price of what was reported, or that it is not
 * all, and what is taken of a limit.
 * @param {import('./types.js').Money} money
 */
export function formatMoney({ currency, spent_micros: spent, limit }) {
  /** @param {number} micros */
  const say = (micros) => new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits: 6 }).format(micros / 1e6);
  const known = spent === null ? 'not known: the end of a call, or what it used, was not seen' : say(spent);
  return limit ? `${known}; at most ${say(limit.taken_micros)} of ${say(limit.limit_micros)}` : known;
}

/** @param {import('./types.js').UnseenAttempt} attempt */
function attemptText(attempt) {
  const { assignment_version: version, outcome, cause, ended_at: ended, provider, provider_request_id: request } = attempt;
  const parts = [outcome === 'worker_lost' ? 'its worker stopped answering' : cause || 'the connection broke'];
  if (ended) parts.push(formatMoment(ended, Date.now()));
  if (provider) parts.push(request ? `${provider} request ${request}` : provider);
  return `assignment ${version}: ${parts.join(', ')}`;
}

/** @param {Task} task */
function callsText({ spend, calls_left: left }) {
  const unknown = spend.calls_unknown ? `, ${spend.calls_unknown} of them with unknown outcome` : '';
  return `${spend.calls}${unknown}; ${left} left`;
}
