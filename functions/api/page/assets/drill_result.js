// What an act of a drill came to: the verdict with its figures, the picture, and
// the technical side behind a disclosure.

import { h, stateMark } from './dom.js';
import { groupFindings, occurs, timesOf } from './drill_model.js';
import { DrillPicture } from './drill_picture.js';
import { explanationOf, headlineOf, overwrittenText, plainly, promiseText, ROBBED, STALE_SAVE, verdictText } from './drill_words.js';
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
 * @param {object} of
 * @param {string} of.broken the rule that was taken away, "" for none
 * @param {boolean} of.lost the service no longer has its picture
 * @param {string[]} of.focus the promises that the drill is about
 */
export function actView(act, { broken, lost, focus }) {
  const verdict = verdictOfAct(act, broken);
  /** @type {HTMLElement[]} */
  const parts = [verdictView(act, verdict, broken)];
  if (act.timeline) {
    const picture = new DrillPicture();
    picture.show(act.timeline, false);
    parts.push(picture.element);
  } else if (!lost) {
    parts.push(h('p', { class: 'drill-note', text: 'Loading the picture …' }));
  }
  if (act.promises) parts.push(technical(act, verdict, focus));
  return h('section', { class: 'act' }, act.title ? h('h2', { class: 'act-title', text: capital(act.title) }) : null, ...parts);
}

/** @param {string} text */
function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** @param {Act} act @param {Verdict} verdict @param {string} broken */
function verdictView(act, verdict, broken) {
  const worst = worstTexts(act);
  return h('div', { class: 'verdict', attributes: { 'data-verdict': verdict } },
    h('div', { class: 'verdict-head' }, stateMark(), h('h3', { class: 'verdict-title', text: headlineOf(verdict) })),
    broken ? h('p', { class: 'verdict-why' }, h('strong', { text: 'Played without this rule: ' }), broken) : null,
    ...(worst.length > 0 ? worst : [act.told]).map((text) => h('p', { class: 'verdict-told', text })),
    explanationOf(verdict) ? h('p', { class: 'verdict-why', text: explanationOf(verdict) }) : null,
    brokenPromises(act),
    verdict === 'failed' ? noticedTexts(act) : null,
    figures(act));
}

/** What the picture shows that must never happen. @param {Act} act @returns {string[]} */
function worstTexts({ timeline }) {
  if (!timeline) return [];
  const overwrites = timesOf(timeline, 'overwritten');
  return [
    ...(occurs(timeline, 'stale') ? [STALE_SAVE] : []), ...(occurs(timeline, 'robbed') ? [ROBBED] : []),
    ...(overwrites > 0 ? [overwrittenText(overwrites)] : []),
  ];
}

/** @param {Act} act */
function figures({ calls, replies, refused, refused_claims: claims = 0, seconds, timeline }) {
  const stale = timeline && timesOf(timeline, 'stale') > 0;
  const robbed = timeline && occurs(timeline, 'robbed');
  /** @type {[string, string][]} */
  const all = [
    [String(replies), (replies === 1 ? 'saved reply' : 'saved replies') + (stale && replies === 1 ? ', the wrong one' : '')],
    [String(calls), calls === 1 ? 'request to the provider' : 'requests to the provider'],
    [String(refused - claims), (refused - claims === 1 ? 'refused write' : 'refused writes') + (robbed ? ', of the rightful worker' : '')],
    [String(claims), claims === 1 ? 'refused claim' : 'refused claims'],
    [seconds.toFixed(1), 'seconds'],
  ];
  return h('dl', { class: 'figures' }, ...all.map(([value, name]) => h('div', {}, h('dt', { text: name }), h('dd', { text: value }))));
}

/** The promises that broke, in words. @param {Act} act */
function brokenPromises({ findings, promises = [] }) {
  const groups = groupFindings(findings ?? []);
  if (groups.length === 0) return null;
  const title = (/** @type {string} */ id) => promises.find((promise) => promise.id === id)?.title ?? '';
  return h('div', { class: 'wrong' },
    h('h4', { text: groups.length === 1 ? 'A promise broke' : `${plural(groups.length, 'promise')} broke` }),
    h('ul', { class: 'wrong-list' }, ...groups.map(({ promise, texts }) => h('li', {},
      h('span', { class: 'wrong-promise', text: `${/^P\d/.test(promise) ? `${promise}: ` : ''}${promiseText(promise, title(promise))}` }),
      h('ul', {}, ...texts.map((text) => h('li', { text: plainly(text) })))))));
}

/** In what the act was not as its script wants it. @param {Act} act */
function noticedTexts({ deviations }) {
  if (!deviations?.length) return null;
  return h('div', { class: 'wrong' }, h('h4', { text: 'What the drill noticed' }),
    h('ul', { class: 'wrong-list plain' }, ...deviations.map((text) => h('li', { text: plainly(text) }))));
}

/** @param {Act} act @param {Verdict} verdict @param {string[]} focus */
function technical(act, verdict, focus) {
  const promises = [...(act.promises ?? [])].sort((a, b) => Number(focus.includes(b.id)) - Number(focus.includes(a.id)));
  const row = (/** @type {string} */ name, /** @type {string} */ value) => h('div', { class: 'fact' }, h('dt', { text: name }), h('dd', { text: value || 'nothing' }));
  return h('details', { class: 'technical' },
    h('summary', { text: 'Technical details: every promise, checked' }),
    h('dl', { class: 'facts' }, row('Expected', act.expected), row('Seen', act.shown),
      ...(verdict === 'noticed' && act.deviations?.length ? [row('Noticed', act.deviations.map(plainly).join('; '))] : []),
      ...(act.seen ?? []).map(({ task, question }) => row('Task', `${task}, “${question}”`))),
    h('p', { class: 'drill-note', text: 'Every write, message and call was recorded. From that record a checker, which knows nothing of the script, decided each promise. A promise is a sentence that must hold in every run, whatever breaks:' }),
    h('table', { class: 'promises' },
      h('caption', { class: 'visually-hidden', text: 'Promises and whether they were kept' }),
      h('thead', {}, h('tr', {}, ...['Promise', 'Verdict', 'Checks'].map((text) => h('th', { text, attributes: { scope: 'col' } })))),
      h('tbody', {}, ...promises.map(({ id, title, verdict, cases }) => h('tr', { attributes: { 'data-verdict': verdict } },
        h('th', { attributes: { scope: 'row' } }, h('span', { class: 'promise-id', text: id }), ` ${promiseText(id, title)}`, focus.includes(id) ? h('span', { class: 'promise-focus', text: ' (this drill is about it)' }) : null),
        h('td', {}, h('span', { class: 'promise-verdict', text: verdictText(verdict) })), h('td', { class: 'number', text: String(cases) }))))));
}
