// What an HTTP answer means for the question that was sent. The line that
// matters: did the server decide, or do we not know?

/** @typedef {import('./types.js').Problem} Problem */

const DECIDED_CONFLICTS = new Set(['task_ended', 'upload_incomplete', 'upload_mismatch', 'version_failed']);

/**
 * @param {number} status
 * @param {Problem|null} problem
 * @returns {'refused'|'unauthorized'|'unanswered'}
 */
export function classifyFailure(status, problem) {
  if (status === 401) return 'unauthorized';
  // These conflicts are decisions; every other one is the accept still being
  // worked out.
  if (status === 409) return DECIDED_CONFLICTS.has(problem?.code ?? '') ? 'refused' : 'unanswered';
  if (status === 408 || status === 425 || status === 429) return 'unanswered';
  // The gateway gives up after half a minute while the function goes on: a 504
  // says nothing about what was saved. Other 5xx are no better.
  if (status >= 500) return 'unanswered';
  return status >= 400 ? 'refused' : 'unanswered';
}

/**
 * The ids inside a task, conversation or document address, with or without a
 * host and a stage prefix.
 * @param {string|undefined} location
 * @returns {{conversation?: string, task?: string, document?: string}}
 */
export function idsInLocation(location) {
  const id = '([0-9A-HJKMNP-TV-Z]{26})';
  const inConversation = new RegExp(`/conversations/${id}(?:/tasks/${id})?`).exec(location ?? '');
  if (inConversation) return { conversation: inConversation[1], task: inConversation[2] };
  const inDocument = new RegExp(`/documents/${id}`).exec(location ?? '');
  return inDocument ? { document: inDocument[1] } : {};
}

/**
 * The number in a version's address; undefined where there is none.
 * @param {string|undefined} location
 * @returns {number|undefined}
 */
export function versionInLocation(location) {
  const found = /\/versions\/(\d{1,15})$/.exec(location ?? '');
  return found ? Number(found[1]) : undefined;
}
