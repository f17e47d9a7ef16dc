// The register of guarantees in the page's "About": what each model provider
// documents about a call whose end nobody saw.

import { Api } from './api.js';
import { button, byId, h, show } from './dom.js';
import { formatElapsed } from './text.js';

/**
 * @typedef {object} Statement
 * @property {string} provider
 * @property {string} endpoint
 * @property {boolean} used
 * @property {boolean} language_model
 * @property {boolean} idempotency_key
 * @property {number} key_retention_seconds
 * @property {string} key_payload_rule
 * @property {string} key_concurrency_rule
 * @property {boolean} lookup
 * @property {number} lookup_retention_seconds
 * @property {boolean} cancel
 * @property {string} lost_call
 * @property {string} retry_rule
 * @property {string} source
 * @property {string[]} links
 * @property {string} checked_on
 */

const COLUMNS = ['Provider, and how it is asked', 'Key against repeats', 'Repeat while the first runs', 'Look-up by number', 'Kept for', 'Cancel', 'After a lost call', 'Checked on'];

/** @type {Record<string, string>} */
const NAMES = { builtin: 'Built-in', openai: 'OpenAI', 'openai-compatible': 'OpenAI-compatible', anthropic: 'Anthropic', bedrock: 'Amazon Bedrock' };

/** @type {Record<string, string>} */
const LOST = {
  'looked up': 'Its answer is looked up',
  'repeated with its key': 'Repeated with its key',
  'computed again': 'Computed again, for free',
  'unknown: policy': 'Unknown: asked once more or stopped, as set up',
};

/**
 * Fills the table once; after a failure again.
 * @param {string} base
 */
export async function showProviders(base) {
  const place = byId('about-providers');
  if (place.querySelector('table') || place.dataset.loading) return;
  place.dataset.loading = 'true';
  place.replaceChildren(h('p', { class: 'dialog-note', text: 'Loading …' }));
  const outcome = await new Api({ base, token: () => null }).get('about.json');
  delete place.dataset.loading;
  if (outcome.kind !== 'ok') {
    place.replaceChildren(h('p', { class: 'dialog-note', text: 'The list could not be loaded. Check the connection.' }),
      button('Try again', () => void showProviders(base)));
    return;
  }
  place.replaceChildren(table(outcome.body.providers ?? []));
  const version = byId('about-version');
  version.textContent = `replyonce, version ${outcome.body.version}`;
  show(version, true);
}

// On a narrow window each provider becomes a block with named lines. Roles are
// given by hand, because a browser drops those of a table that is no longer laid
// out as one.

/** @param {Statement[]} statements */
function table(statements) {
  return h('table', { attributes: { role: 'table', 'aria-labelledby': 'about-providers-title' } },
    h('thead', { attributes: { role: 'rowgroup' } }, h('tr', { attributes: { role: 'row' } },
      ...COLUMNS.map((text) => h('th', { text, attributes: { scope: 'col', role: 'columnheader' } })))),
    ...statements.map(group));
}

/** @param {Statement} s */
function group(s) {
  const none = s.language_model ? 'not documented' : 'not needed';
  const cells = [
    s.idempotency_key ? ['Yes', s.key_payload_rule].filter(Boolean).join('; ') : none,
    s.key_concurrency_rule || none,
    s.lookup ? 'Yes' : none,
    kept(Math.max(s.key_retention_seconds, s.lookup_retention_seconds)) || none,
    s.cancel ? 'Yes' : none,
    LOST[s.lost_call] ?? s.lost_call,
    s.checked_on,
  ];
  return h('tbody', { attributes: { role: 'rowgroup' } },
    h('tr', { attributes: { role: 'row' } },
      h('th', { attributes: { scope: 'row', role: 'rowheader' } }, h('span', { class: 'about-name', text: NAMES[s.provider] ?? s.provider }),
        h('code', { text: s.endpoint }), s.used ? null : h('span', { class: 'about-unused', text: 'for comparison, not used' })),
      ...cells.map((text, index) => h('td', { class: text === none ? 'about-none' : '', text, attributes: { role: 'cell', 'data-label': COLUMNS[index + 1] } }))),
    h('tr', { class: 'about-more', attributes: { role: 'row' } }, h('td', { attributes: { role: 'cell', colspan: String(COLUMNS.length) } },
      h('details', {}, h('summary', { text: 'Which refusals may be repeated, and where that is written', attributes: { 'aria-label': `${NAMES[s.provider] ?? s.provider}, ${s.endpoint}: which refusals may be repeated, and where that is written` } }),
        h('p', { text: sentence(s.retry_rule) }), h('p', { class: 'dialog-note', text: `Source: ${s.source}` }), links(s)))));
}

/** @param {Statement} s */
function links({ links: addresses }) {
  const safe = addresses.filter((address) => new URL(address).protocol === 'https:');
  if (safe.length === 0) return null;
  return h('ul', { class: 'about-links' }, ...safe.map((address) =>
    h('li', {}, h('a', { text: address.replace(/^https:[/]+/, ''), attributes: { href: address, rel: 'noopener noreferrer', target: '_blank' } }))));
}

/** @param {number} seconds */
function kept(seconds) {
  return seconds > 0 ? formatElapsed(seconds * 1000).replace(' 00 s', '').replace(' 00 min', '') : '';
}

/** @param {string} text */
function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
