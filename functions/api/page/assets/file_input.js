// Reads a text file that the person chose or dropped, and says in plain words
// why one cannot be used.

import { byteLength, formatBytes } from './text.js';

/** A file or text that cannot be used; the message is meant for the person. */
export class DocumentTextError extends Error {}

const ENDINGS = /\.(txt|md|markdown|text)$/i;

/**
 * @param {{name: string, size: number, arrayBuffer: () => Promise<ArrayBuffer>}} file
 * @param {number} limit bytes
 * @returns {Promise<{title: string, text: string}>}
 */
export async function readTextFile(file, limit) {
  if (!ENDINGS.test(file.name)) throw new DocumentTextError('Only .txt and .md files can be added.');
  if (file.size > limit) throw new DocumentTextError(`The file has ${formatBytes(file.size)}; ${formatBytes(limit)} is the limit.`);
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch (error) {
    if (error instanceof TypeError) throw new DocumentTextError('The file is not UTF-8 text. Save it as UTF-8 and choose it again.');
    throw new DocumentTextError('The file could not be read. Choose it again.');
  }
  return { title: file.name.replace(ENDINGS, ''), text: checkText(text, limit) };
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
