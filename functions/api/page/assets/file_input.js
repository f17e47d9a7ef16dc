// Looks at a file that the person chose or dropped: whether it can be added, in
// which way, and why not, in plain words.

import { byteLength, formatBytes } from './text.js';

/** A file or text that cannot be used; the message is meant for the person. */
export class DocumentTextError extends Error {}

/**
 * @typedef {{document_bytes: number, upload_bytes?: number}} Limits upload_bytes is missing where files cannot be uploaded
 * @typedef {{title: string, text: string|null}} Input text: null for a file that is to be uploaded
 */

const TEXT = /\.(txt|md|markdown|text)$/i;
const ENDINGS = /\.(txt|md|markdown|text|pdf|docx|html?)$/i;

/**
 * What can be added, as a noun phrase.
 * @param {Limits} limits
 */
export function formats({ document_bytes: text, upload_bytes: upload }) {
  return upload
    ? `a .pdf, .docx, .html, .md or .txt file, up to ${formatBytes(upload)}`
    : `a .txt or .md file, up to ${formatBytes(text)}`;
}

/**
 * A short text in UTF-8 goes out as text: that takes one request, which is stored
 * whole before it is sent and so survives a reload. Everything else is uploaded.
 * @param {{name: string, size: number, arrayBuffer: () => Promise<ArrayBuffer>}} file
 * @param {Limits} limits
 * @returns {Promise<Input>}
 */
export async function readInput(file, { document_bytes: textLimit, upload_bytes: uploadLimit = 0 }) {
  if (!(uploadLimit ? ENDINGS : TEXT).test(file.name)) {
    throw new DocumentTextError(uploadLimit ? 'Only .pdf, .docx, .html, .md and .txt files can be added.' : 'Only .txt and .md files can be added.');
  }
  const limit = uploadLimit || textLimit;
  if (file.size > limit) throw new DocumentTextError(`The file has ${formatBytes(file.size)}; ${formatBytes(limit)} is the limit.`);
  if (file.size === 0) throw new DocumentTextError('The file is empty.');
  const title = file.name.replace(ENDINGS, '');
  if (!TEXT.test(file.name) || file.size > textLimit) return { title, text: null };
  const text = decode(await read(file));
  if (text !== null) return { title, text: checkText(text, textLimit) };
  if (!uploadLimit) throw new DocumentTextError('The file is not UTF-8 text. Save it as UTF-8 and choose it again.');
  return { title, text: null }; // other encodings are detected by the service
}

/** @param {{arrayBuffer: () => Promise<ArrayBuffer>}} file */
async function read(file) {
  try {
    return await file.arrayBuffer();
  } catch {
    throw unreadable();
  }
}

export function unreadable() {
  return new DocumentTextError('The file could not be read. Choose it again.');
}

/** @param {ArrayBuffer} bytes @returns {string|null} null: not UTF-8 */
function decode(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/**
 * @param {string} text
 * @param {number} limit
 * @returns {string} the same text
 */
export function checkText(text, limit) {
  if (text.trim() === '') throw new DocumentTextError('There is no text yet. Choose a file or paste some.');
  const bytes = byteLength(text);
  if (bytes > limit) throw new DocumentTextError(`The text has ${formatBytes(bytes)}; ${formatBytes(limit)} is the limit.`);
  return text;
}
