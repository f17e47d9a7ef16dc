// What an act of a drill came to: the verdict with its figures, the picture, and
// the technical side behind a disclosure.

import { h, stateMark } from './dom.js';
import { groupFindings, hasStaleSave, overwritesOf } from './drill_model.js';
import { DrillPicture } from './drill_picture.js';
import { explanationOf, headlineOf, overwrittenText, plainly, promiseText, STALE_SAVE, verdictText } from './drill_words.js';
import { plural } from './text.js';

/**
 * @typedef {import('./drill_desk.js').Act} Act
 * @typedef {import('./drill_words.js').Verdict} Verdict
 */

/** @param {Act} act @param {string} broken @returns {Verdict} */
function verdictOfAct(act, broken) {
  if (act.passed) return broken ? 'unnoticed' : 'passed';
  return broken ? 'noticed' : 'failed';
}

/**
 * @param {Act} act
 * @param {string} broken name of the rule that was taken away
 * @param {boolean} lost the service no longer has its picture
 */
export function actView(act, broken, lost) {
  const verdict = verdictOfAct(act, broken);
  /** @type {HTMLElement[]} */
  const parts = [verdictView(act, verdict)];
  if (act.timeline) {
    const picture = new DrillPicture();
    picture.show(act.timeline, false);
    parts.push(picture.element);
  } else if (!lost) {
    parts.push(h('p', { class: 'drill-note', text: 'Loading the picture …' }));
  }
  if (act.promises) parts.push(technical(act));
  return h('section', { class: 'act' }, act.title ? h('h2', { class: 'act-title', text: capital(act.title) }) : null, ...parts);
}

/** @param {string} text */
function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** @param {Act} act @param {Verdict} verdict */
function verdictView(act, verdict) {
  const wrong = wrongTexts(act);
  const worst = worstTexts(act);
  return h('div', { class: 'verdict', attributes: { 'data-verdict': verdict } },
    h('div', { class: 'verdict-head' }, stateMark(), h('h3', { class: 'verdict-title', text: headlineOf(verdict) })),
    ...worst.map((text) => h('p', { class: 'verdict-told', text })),
    h('p', { class: worst.length > 0 ? 'verdict-why' : 'verdict-told', text: worst.length > 0 ? `In the end: ${act.told.charAt(0).toLowerCase()}${act.told.slice(1)}` : act.told }),
    explanationOf(verdict) ? h('p', { class: 'verdict-why', text: explanationOf(verdict) }) : null,
    wrong,
    figures(act));
}

/** What the picture shows that must never happen. @param {Act} act @returns {string[]} */
function worstTexts({ timeline }) {
  if (!timeline) return [];
  const overwrites = overwritesOf(timeline);
  return [...(hasStaleSave(timeline) ? [STALE_SAVE] : []), ...(overwrites > 0 ? [overwrittenText(overwrites)] : [])];
}

/** @param {Act} act */
function figures({ calls, replies, refused, seconds }) {
  /** @type {[string, string][]} */
  const all = [
    [String(replies), replies === 1 ? 'saved reply' : 'saved replies'],
    [String(calls), calls === 1 ? 'call of the provider' : 'calls of the provider'],
    [String(refused), refused === 1 ? 'refused write' : 'refused writes'],
    [seconds.toFixed(1), 'seconds'],
  ];
  return h('dl', { class: 'figures' }, ...all.map(([value, name]) => h('div', {}, h('dt', { text: name }), h('dd', { text: value }))));
}

/** What is not as it must be, in words. @param {Act} act */
function wrongTexts({ deviations, findings, promises = [] }) {
  const groups = groupFindings(findings ?? []);
  if (groups.length === 0 && !deviations?.length) return null;
  const title = (/** @type {string} */ id) => promises.find((promise) => promise.id === id)?.title ?? '';
  return h('div', { class: 'wrong' },
    groups.length > 0 ? h('h4', { text: groups.length === 1 ? 'A promise broke' : `${plural(groups.length, 'promise')} broke` }) : null,
    h('ul', { class: 'wrong-list' }, ...groups.map(({ promise, texts }) => h('li', {},
      h('strong', { text: `${/^P\d/.test(promise) ? `${promise}: ` : ''}${promiseText(promise, title(promise))}` }),
      h('ul', {}, ...texts.map((text) => h('li', { text: plainly(text) })))))),
    deviations?.length ? h('h4', { text: 'What the drill noticed' }) : null,
    deviations?.length ? h('ul', { class: 'wrong-list plain' }, ...deviations.map((text) => h('li', { text: plainly(text) }))) : null);
}

/** @param {Act} act */
function technical(act) {
  const row = (/** @type {string} */ name, /** @type {string} */ value) => h('div', { class: 'fact' }, h('dt', { text: name }), h('dd', { text: value || 'nothing' }));
  return h('details', { class: 'technical' },
    h('summary', { text: 'Technical details: every promise, checked' }),
    h('dl', { class: 'facts' }, row('Expected', act.expected), row('Seen', act.shown),
      ...(act.seen ?? []).map(({ task, question }) => row('Task', `${task}, “${question}”`))),
    h('p', { class: 'drill-note', text: 'Every write, message and call was recorded. From that record a checker, which knows nothing of the script, decided each promise:' }),
    h('table', { class: 'promises' },
      h('caption', { class: 'visually-hidden', text: 'Promises and whether they were kept' }),
      h('thead', {}, h('tr', {}, ...['Promise', 'Verdict', 'Checks'].map((text) => h('th', { text, attributes: { scope: 'col' } })))),
      h('tbody', {}, ...(act.promises ?? []).map(({ id, title, verdict, cases }) => h('tr', { attributes: { 'data-verdict': verdict } },
        h('th', { attributes: { scope: 'row' } }, h('span', { class: 'promise-id', text: id }), ` ${promiseText(id, title)}`),
        h('td', {}, h('span', { class: 'promise-verdict', text: verdictText(verdict) })), h('td', { class: 'number', text: String(cases) }))))));
}
