// Shapes that several modules share, as JSDoc types only. Nothing imports this
// file at run time; it exists for readers and for type checkers.

/**
 * @typedef {object} Reply
 * @property {string} text
 * @property {boolean} cut_short
 * @property {string} provider
 * @property {string} model
 * @property {boolean} language_model false when no language model took part
 */

/**
 * @typedef {object} Spend
 * @property {number} calls
 * @property {number} calls_known
 * @property {number} calls_unknown
 * @property {number} input_tokens
 * @property {number} output_tokens
 * @property {{assignment_version: number, bytes: number, sha256: string, input_tokens: number, output_tokens: number, at: string}[]} refused_answers
 * @property {number} [calls_saved]
 * @property {Money|null} [money]
 */

/**
 * In millionths of the currency.
 * @typedef {object} Money
 * @property {string} currency
 * @property {number|null} spent_micros null: not all of it is known
 * @property {{taken_micros: number, limit_micros: number}} [limit]
 */

/**
 * @typedef {object} ConversationSpend
 * @property {number} tasks
 * @property {number} calls
 * @property {number} calls_unknown
 * @property {number} input_tokens
 * @property {number} output_tokens
 * @property {Money|null} money
 * @property {boolean} complete
 */

/**
 * @typedef {object} Task
 * @property {string} id
 * @property {string} conversation
 * @property {string} message
 * @property {'pending'|'running'|'completed'|'failed'|'cancelled'} status
 * @property {string} created_at
 * @property {string} deadline_at
 * @property {string} [ended_at]
 * @property {number} assignment_version
 * @property {number} attempts
 * @property {number} attempts_left
 * @property {number} calls
 * @property {number} calls_left
 * @property {string} [next_attempt_at]
 * @property {'worker_lost'|'rejected'|'unknown'} [previous_attempt]
 * @property {'retry'|'stop'} on_unknown
 * @property {Reply} [reply]
 * @property {{reason: string}} [failure]
 * @property {Spend} spend
 * @property {UnseenAttempt[]} [attempt_log]
 * @property {{version?: number}|number} [waiting_for] the version that has to be read first
 */

/**
 * An attempt whose end nobody saw.
 * @typedef {object} UnseenAttempt
 * @property {number} assignment_version
 * @property {'unknown'|'worker_lost'} outcome
 * @property {string} [provider]
 * @property {string} [provider_request_id]
 * @property {string} [operation_id]
 * @property {string} [begun_at]
 * @property {string} [ended_at]
 * @property {string} [cause]
 */

/**
 * @typedef {object} Message
 * @property {string} id
 * @property {string} text
 * @property {string} document
 * @property {number} version
 * @property {string[]} history
 * @property {string} created_at
 */

/**
 * @typedef {object} DocumentInfo
 * @property {string} id
 * @property {string} title
 * @property {number} latest_version the highest number given out
 * @property {number} [current_version] the newest that is ready; 0 while there is none
 * @property {string} created_at
 * @property {string} updated_at
 * @property {VersionInfo[]} [versions] oldest first
 */

/**
 * @typedef {object} VersionInfo
 * @property {number} version
 * @property {'ready'|'indexing'|'failed'} [state]
 * @property {string} [failure]
 * @property {string} [file_name]
 * @property {number} [pages]
 * @property {number} [passages]
 * @property {number} bytes
 * @property {string} sha256
 * @property {string} created_at
 */

/**
 * A request that puts one file to object storage, without credentials.
 * @typedef {object} SignedPut
 * @property {string} id of the upload
 * @property {string} method
 * @property {string} url
 * @property {Record<string, string>} headers
 * @property {string} expires_at
 */

/**
 * @typedef {object} Conversation
 * @property {string} id
 * @property {string} title
 * @property {string} document
 * @property {string} created_at
 * @property {boolean} [document_deleted]
 */

/**
 * @typedef {object} Problem
 * @property {string} code
 * @property {string} [title]
 * @property {string} [detail]
 * @property {string} [field]
 * @property {string} [location]
 * @property {Task} [task]
 * @property {string} [gateway_request_id]
 */

/**
 * What became of one request.
 * - ok: answered and understood
 * - not_modified: 304
 * - refused: a definite no; nothing was saved by it
 * - unauthorized: the sign-in is over; nothing was saved by it
 * - unanswered: it may or may not have arrived
 * @typedef {object} Outcome
 * @property {'ok'|'not_modified'|'refused'|'unauthorized'|'unanswered'} kind
 * @property {number} status 0 when there was no answer at all
 * @property {any} [body]
 * @property {string} [etag]
 * @property {string} [location]
 * @property {Problem} [problem]
 * @property {number|null} [retryAfterMs]
 */

/**
 * One request of an outbox item. `path` and `body` are empty until they can be
 * known, and never change once they are set.
 * @typedef {object} Step
 * @property {'document'|'version'|'upload'|'put'|'complete'|'conversation'|'message'|'regenerate'} op
 * @property {string} key idempotency key
 * @property {string|null} path
 * @property {string|null} body the exact body
 * @property {StepResult|null} result
 */

/**
 * @typedef {object} StepResult
 * @property {string} [document]
 * @property {number} [version]
 * @property {string} [conversation]
 * @property {string} [message]
 * @property {string} [task]
 * @property {string} [upload]
 */

/**
 * @typedef {object} Intent what the person asked for; enough to build every step
 * @property {string} [title]
 * @property {string} [documentText]
 * @property {{name: string, bytes: number, sha256: string, type: string}} [file] to upload
 * @property {string} [document]
 * @property {number} [version]
 * @property {string} [conversation]
 * @property {string} [message]
 * @property {string} [text]
 * @property {string[]} [history]
 * @property {string} [onUnknown] policy after a call whose end nobody saw; none: as the service does by itself
 */

/**
 * @typedef {object} OutboxItem
 * @property {string} id
 * @property {'ask'|'regenerate'|'add-document'|'add-version'} kind
 * @property {number} createdAt
 * @property {Intent} intent
 * @property {Step[]} steps
 * @property {number} at index of the current step
 * @property {number} tries unanswered sends of the current step
 * @property {number} nextAt not to be sent before this time (ms)
 * @property {boolean} serverAsked whether `nextAt` comes from a Retry-After header
 * @property {'sending'|'unknown'|'file'} state file: waits for the person to choose the file again
 * @property {boolean} attempted true once any request may have left
 * @property {number} [setbacks] how often a file was not there after it had been sent
 * @property {{tab: string, until: number}|null} lease
 */

/**
 * @typedef {object} ItemOutcome
 * @property {'done'|'refused'} state
 * @property {number} at
 * @property {StepResult} [result]
 * @property {{status: number, code: string, detail: string, location: string, op: string}} [refusal]
 * @property {boolean} [dismissed]
 */

/**
 * @typedef {object} Session
 * @property {string} token
 * @property {string} user
 * @property {string} workspace
 * @property {string} issuer
 * @property {string} label what to call the person on the page
 */

export {};
