// When to send again. Pure functions: the caller brings time and randomness.

/** Sends after the first one before the page stops and asks the person. */
export const MAX_RESENDS = 6;

const SECOND = 1000;
const SHORTEST = 1 * SECOND;
const LONGEST = 30 * SECOND;
// A server that asks for more than this is answered by the person, not a timer.
const LONGEST_RETRY_AFTER = 3600 * SECOND;

/**
 * Reads a Retry-After header: whole seconds or an HTTP date. Anything else, and
 * a date in the past, counts as absent.
 * @param {string|null} value
 * @param {number} now milliseconds
 * @returns {number|null} milliseconds to wait
 */
export function parseRetryAfter(value, now) {
  if (value === null) return null;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Math.min(Number(text) * SECOND, LONGEST_RETRY_AFTER);
  if (!/^[A-Za-z]{3},? /.test(text)) return null;
  const wait = Date.parse(text) - now;
  return wait > 0 ? Math.min(wait, LONGEST_RETRY_AFTER) : null;
}

/**
 * Delay before a re-send. What the server asked for comes first and is never
 * undercut; without it the delay is drawn from a window that doubles up to
 * thirty seconds, so that many pages do not return at one moment.
 * @param {number} resend 1 for the first re-send
 * @param {number|null} retryAfterMs
 * @param {number} fraction in [0, 1)
 * @returns {number} milliseconds
 */
export function resendDelay(resend, retryAfterMs, fraction) {
  if (retryAfterMs !== null) return Math.max(retryAfterMs, SHORTEST) + fraction * SECOND;
  const window = Math.min(LONGEST, SHORTEST * 2 ** resend);
  return SHORTEST + fraction * (window - SHORTEST);
}
