// The HTTP client. It never throws for what a server or a network can do: every
// call ends in an Outcome, so that callers have to face "unanswered".

import { classifyFailure } from './outcome.js';
import { parseRetryAfter } from './retry.js';

/** @typedef {import('./types.js').Outcome} Outcome */

// Longer than the gateway's own limit (29 s), so that its answer is seen; after
// this the connection is taken for dead.
export const ANSWER_LIMIT_MS = 35_000;

export class Api {
  /**
   * @param {object} options
   * @param {string} options.base absolute URL of the page's folder, ends in "/"
   * @param {() => string|null} options.token
   * @param {typeof fetch} [options.fetch]
   */
  constructor({ base, token, fetch = (...args) => globalThis.fetch(...args) }) {
    this.base = base;
    this.token = token;
    this.fetch = fetch;
    /** Server clock minus ours, from the Date header; for elapsed times. */
    this.clockOffsetMs = 0;
  }

  /**
   * @param {string} path relative to the page, such as "v1/documents"
   * @param {{etag?: string, signal?: AbortSignal}} [options]
   * @returns {Promise<Outcome>}
   */
  get(path, { etag, signal } = {}) {
    /** @type {Record<string, string>} */
    const headers = etag ? { 'If-None-Match': etag } : {};
    // The validator is ours to send: the browser's own cache would answer a
    // 304 with the stored 200 and hide that nothing changed.
    return this.#call(path, { method: 'GET', headers, cache: 'no-store' }, signal);
  }

  /**
   * @param {string} path
   * @param {string} body the exact bytes, as text
   * @param {{key?: string, signal?: AbortSignal}} [options]
   * @returns {Promise<Outcome>}
   */
  post(path, body, { key, signal } = {}) {
    /** @type {Record<string, string>} */
    const headers = { 'Content-Type': 'application/json' };
    if (key) headers['Idempotency-Key'] = key;
    return this.#call(path, { method: 'POST', headers, body }, signal);
  }

  /** @param {string} path @returns {Promise<Outcome>} */
  delete(path) {
    return this.#call(path, { method: 'DELETE', headers: {} });
  }

  /**
   * @param {string} path
   * @param {RequestInit & {headers: Record<string, string>}} init
   * @param {AbortSignal} [signal]
   * @returns {Promise<Outcome>}
   */
  async #call(path, init, signal) {
    const token = this.token();
    if (token) init.headers.Authorization = `Bearer ${token}`;
    init.headers.Accept = 'application/json, application/problem+json';
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), ANSWER_LIMIT_MS);
    signal?.addEventListener('abort', () => limit.abort(), { once: true });
    try {
      const response = await this.fetch(new URL(path, this.base), { ...init, signal: limit.signal, credentials: 'omit' });
      return await this.#read(response);
    } catch {
      // Connection lost, answer blocked by the browser, limit reached: in all
      // of them the request may have arrived.
      return { kind: 'unanswered', status: 0, retryAfterMs: null };
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param {Response} response @returns {Promise<Outcome>} */
  async #read(response) {
    this.#noteClock(response.headers.get('Date'));
    const retryAfterMs = parseRetryAfter(response.headers.get('Retry-After'), Date.now());
    const { status } = response;
    if (status === 304) return { kind: 'not_modified', status, retryAfterMs };
    if (status === 204) return { kind: 'ok', status, body: null, retryAfterMs };
    const body = await parse(response);
    if (!response.ok) {
      return { kind: classifyFailure(status, body), status, problem: body ?? undefined, retryAfterMs };
    }
    // 200 with something that is not JSON is a captive portal or a cut body.
    if (body === null) return { kind: 'unanswered', status, retryAfterMs };
    return {
      kind: 'ok', status, body, etag: response.headers.get('ETag') ?? undefined, location: response.headers.get('Location') ?? undefined, retryAfterMs,
    };
  }

  /** @param {string|null} date */
  #noteClock(date) {
    const server = date ? Date.parse(date) : NaN;
    if (!Number.isNaN(server)) this.clockOffsetMs = server - Date.now();
  }
}

/** @param {Response} response @returns {Promise<any|null>} */
async function parse(response) {
  const text = await response.text();
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
