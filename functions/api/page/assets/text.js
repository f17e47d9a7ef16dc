// Small text helpers that respect what people see as one character.

const encoder = new TextEncoder();

/**
 * Size as the server counts it.
 * @param {string} text
 * @returns {number} bytes in UTF-8
 */
export function byteLength(text) {
  return encoder.encode(text).length;
}

/**
 * Cuts at a whole character as people see it, so that no emoji is halved.
 * White space is folded because the result is used as a one-line title.
 * @param {string} text
 * @param {number} length in visible characters
 * @returns {string}
 */
export function shorten(text, length) {
  const line = text.trim().replace(/\s+/g, ' ');
  const parts = graphemes(line.slice(0, length * 16));
  if (parts.length <= length && line.length <= length * 16) return line;
  return `${parts.slice(0, length - 1).join('').trimEnd()}…`;
}

/** @param {string} text @returns {string[]} */
function graphemes(text) {
  if (typeof Intl.Segmenter !== 'function') return Array.from(text);
  return Array.from(new Intl.Segmenter().segment(text), (part) => part.segment);
}

/**
 * @param {number} bytes
 * @returns {string}
 */
export function formatBytes(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(bytes < 10240 ? 1 : 0)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(1).replace('.0', '')} MiB`;
}

/**
 * @param {number} ms
 * @returns {string}
 */
export function formatElapsed(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/**
 * Time of day, with the date when it is not today.
 * @param {string} iso
 * @param {number} now
 * @returns {string}
 */
export function formatMoment(iso, now) {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return '';
  const sameDay = date.toDateString() === new Date(now).toDateString();
  /** @type {Intl.DateTimeFormatOptions} */
  const options = sameDay
    ? { hour: '2-digit', minute: '2-digit' }
    : { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' };
  return new Intl.DateTimeFormat('en-GB', options).format(date);
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 * @returns {string}
 */
export function plural(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}
