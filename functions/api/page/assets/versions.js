// What the state of a document's versions means for the person: which version a
// question goes to, and how it is said. Pure functions.

import { formatBytes, formatMoment, plural } from './text.js';

/**
 * @typedef {import('./types.js').DocumentInfo} DocumentInfo
 * @typedef {import('./types.js').VersionInfo} VersionInfo
 */

/** @type {Record<string, [string, string]>} what happened, what to do */
const FAILURES = {
  unsupported_format: ['this kind of file cannot be read', 'Save it as PDF, DOCX, HTML, Markdown or plain text, and add that.'],
  encrypted: ['the file is protected by a password', 'Save a copy without the password, and add the copy.'],
  no_text: ['the file has no text, only pictures or empty pages', 'Run text recognition (OCR) on it, and add the result.'],
  broken: ['the file is damaged', 'Open it in the program that made it, save it again, and add the new file.'],
  too_large: ['the file, or the text in it, is too large', 'Split it into smaller documents, and add these.'],
  too_many_pages: ['the file has too many pages', 'Split it into smaller documents, and add these.'],
  too_deep: ['the parts of the file are nested too deeply', 'Save it in a simpler form, such as plain text, and add that.'],
  time_limit: ['reading the file took too long', 'Split it into smaller documents, or save it as plain text, and add that.'],
  deadline: ['reading it was not done within the time limit', 'Add it again. If that ends the same way, tell whoever runs this service.'],
  attempts_exhausted: ['every attempt to read it failed', 'Add it again in a few minutes. If that ends the same way, tell whoever runs this service.'],
};

export const VERSION_FAILURES = Object.keys(FAILURES);

/** @param {string|undefined} reason @returns {[string, string]} */
export function versionFailure(reason = '') {
  return FAILURES[reason] ?? ['it could not be read', 'Add it again, or in another format.'];
}

/**
 * Versions without a state come from a service that knows none: all are ready.
 * @param {VersionInfo|undefined} version
 */
export function stateOf(version) {
  return version?.state ?? 'ready';
}

/** @param {DocumentInfo} info @param {number} number */
export function versionOf(info, number) {
  return info.versions?.find(({ version }) => version === number);
}

/** The newest version that is ready; 0: none. @param {DocumentInfo} info */
export function currentOf(info) {
  return info.current_version ?? info.latest_version;
}

/** @param {DocumentInfo} info */
export function isIndexing(info) {
  return (info.versions ?? []).some((version) => stateOf(version) === 'indexing');
}

/**
 * The version that the next question goes to: the one that was chosen, unless it
 * cannot be read; else the current one; else the newest that is being read. Null
 * when there is none to ask about.
 * @param {DocumentInfo} info
 * @param {number|undefined} chosen
 * @returns {number|null}
 */
export function askedVersion(info, chosen) {
  if (!info.versions) return chosen || currentOf(info) || info.latest_version;
  const usable = info.versions.filter((version) => stateOf(version) !== 'failed').map(({ version }) => version);
  return [chosen, currentOf(info)].find((version) => version && usable.includes(version)) ?? usable.at(-1) ?? null;
}

/**
 * What the picker offers, newest first: versions that are ready, and the one that
 * is asked about while it is still being read.
 * @param {DocumentInfo} info
 * @param {number} shown
 * @returns {{version: number, label: string}[]}
 */
export function choices(info, shown) {
  const all = info.versions ?? Array.from({ length: info.latest_version }, (_, index) => ({ version: index + 1 }));
  return all
    .filter((version) => stateOf(/** @type {VersionInfo} */ (version)) === 'ready' || version.version === shown)
    .map((version) => ({ version: version.version, label: `Version ${version.version}${stateOf(/** @type {VersionInfo} */ (version)) === 'indexing' ? ', being read' : ''}` }))
    .reverse();
}

/**
 * What somebody who asks now should know about the versions; '' when there is
 * nothing to know.
 * @param {DocumentInfo} info
 * @param {number|null} shown
 * @returns {{text: string, tone: 'calm'|'warn'|''}}
 */
export function versionNote(info, shown) {
  const latest = versionOf(info, info.latest_version);
  const current = currentOf(info);
  const failed = stateOf(latest) === 'failed' ? `Version ${info.latest_version} cannot be used: ${versionFailure(latest?.failure)[0]}.` : '';
  if (shown === null) return { text: `${failed} ${versionFailure(latest?.failure)[1]}`, tone: 'warn' };
  if (stateOf(versionOf(info, shown)) === 'indexing') return { text: `Version ${shown} is being read; your question waits for it.`, tone: 'calm' };
  if (shown < current) return { text: `You are asking about version ${shown}. The newest is version ${current}.`, tone: 'warn' };
  if (failed) return { text: `${failed} You are asking about version ${shown}.`, tone: 'warn' };
  if (stateOf(latest) === 'indexing') return { text: `Version ${info.latest_version} is being read. You are asking about version ${shown}.`, tone: 'calm' };
  return { text: '', tone: '' };
}

/**
 * A word for lists; '' where nothing is special.
 * @param {DocumentInfo} info
 */
export function listMark(info) {
  const latest = versionOf(info, info.latest_version);
  if (stateOf(latest) === 'indexing') return info.latest_version > 1 ? `v${info.latest_version} being read` : 'being read';
  if (stateOf(latest) === 'failed') return info.latest_version > 1 ? `v${info.latest_version} failed` : 'cannot be read';
  return info.latest_version > 1 ? `v${info.latest_version}` : '';
}

/**
 * @param {VersionInfo} version
 * @returns {{headline: string, advice: string}}
 */
export function versionText(version) {
  switch (stateOf(version)) {
    case 'indexing':
      return { headline: 'Being read …', advice: 'You can ask about it already: the question waits until it has been read.' };
    case 'failed': {
      const [what, advice] = versionFailure(version.failure);
      return { headline: `Failed because ${what}.`, advice };
    }
    default:
      return { headline: 'Ready.', advice: '' };
  }
}

/**
 * Where a version comes from and how big it is, as one line.
 * @param {VersionInfo} version
 * @param {number} now
 */
export function versionFacts(version, now) {
  const facts = [
    version.file_name ?? 'Pasted text', formatBytes(version.bytes), version.pages ? plural(version.pages, 'page') : '',
    version.passages ? plural(version.passages, 'passage') : '', `added ${formatMoment(version.created_at, now)}`,
  ];
  return facts.filter((fact) => fact !== '').join(', ');
}
