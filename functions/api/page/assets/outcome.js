// What an HTTP answer means for the question that was sent. The line that
// matters: did the server decide, or do we not know?

/** @typedef {import('./types.js').Problem} Problem */

/**
 * @param {number} status
 * @param {Problem|null} problem
 * @returns {'refused'|'unauthorized'|'unanswered'}
 */
export function classifyFailure(status, problem) {
  if (status === 401) return 'unauthorized';
  // A task that already ended is a decision; every other conflict is the
  // accept still being worked out.
  if (status === 409) return problem?.code === 'task_ended' ? 'refused' : 'unanswered';
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
