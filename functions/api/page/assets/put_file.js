// Puts a file to object storage with a request that the service has signed.

import { parseRetryAfter } from './retry.js';

/**
 * @typedef {import('./types.js').Outcome} Outcome
 * @typedef {import('./types.js').SignedPut} SignedPut
 */

// The browser sets these itself and refuses to be told.
const OWN_HEADERS = new Set(['content-length', 'host']);
// Nothing moved for this long: the connection is taken for dead. A limit for the
// whole would cut big files on slow lines.
const STALL_MS = 60_000;

/**
 * XMLHttpRequest, because `fetch` does not tell how much has been sent.
 * @param {SignedPut} signed
 * @param {Blob} file
 * @param {{base: string, onProgress: (fraction: number) => void, signal: AbortSignal}} options
 * @returns {Promise<Outcome>}
 */
export function putFile(signed, file, { base, onProgress, signal }) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    let stall;
    const watch = () => {
      clearTimeout(stall);
      stall = setTimeout(() => request.abort(), STALL_MS);
    };
    const stop = () => request.abort();
    request.upload.onprogress = (event) => {
      watch();
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    };
    request.onloadend = () => {
      clearTimeout(stall);
      signal.removeEventListener('abort', stop);
      resolve(outcomeOf(request));
    };
    request.open(signed.method, new URL(signed.url, base));
    for (const [name, value] of Object.entries(signed.headers)) {
      if (!OWN_HEADERS.has(name.toLowerCase())) request.setRequestHeader(name, value);
    }
    signal.addEventListener('abort', stop);
    watch();
    request.send(file);
  });
}

/** @param {XMLHttpRequest} request @returns {Outcome} */
function outcomeOf(request) {
  const { status } = request;
  if (status >= 200 && status < 300) return { kind: 'ok', status, body: {} };
  // The request says "only if nothing is there": something is, from an earlier
  // try whose answer was lost. Whether it is this file is checked when completing.
  if (status === 412) return { kind: 'ok', status, body: {} };
  if (status === 400 || status === 413) return { kind: 'refused', status, problem: { code: 'upload_mismatch' } };
  // 403 is mostly a request that has expired: the next try has a new one.
  return { kind: 'unanswered', status, retryAfterMs: status ? parseRetryAfter(request.getResponseHeader('Retry-After'), Date.now()) : null };
}
