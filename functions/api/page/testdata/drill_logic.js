// Tests of the pure parts of the failure drills, run inside the browser.

import { groupFindings, momentsOf, occurs, rowsOf, scaleOf, tells, timesOf } from '../assets/drill_model.js';
import { plainly, runText, verdictOf } from '../assets/drill_words.js';
import { parseRoute } from '../assets/router.js';

const failures = [];

/** @param {string} what @param {any} got @param {any} want */
function equal(what, got, want) {
  const [a, b] = [got, want].map((value) => JSON.stringify(value));
  if (a !== b) failures.push(`${what}: got ${a}, want ${b}`);
}

/** @param {number} at @param {string} lane @param {string} text @param {string} [mark] */
const point = (at, lane, text, mark) => ({ at_ms: at, lane, text, ...(mark ? { mark } : {}) });

function moments() {
  const timeline = { ends_ms: 100, lanes: [], bars: null, points: [
    point(0, 'browser', 'ada presses Send'), point(1, 'worker-1', 'takes the task: assignment 1'),
    point(5, 'worker-1', 'its save is taken, although the task is no longer its own', 'stale'), point(5, 'task', 'completed: the wrong reply is saved', 'stale'),
    point(9, 'queue', 'the message is deleted'),
    point(10, 'worker-2', 'saves another reply over the saved one', 'overwritten'), point(10, 'task', 'the saved reply is overwritten by another one', 'overwritten'),
  ] };
  const found = momentsOf(timeline);
  equal('numbers', found.map(({ number }) => number), [0, 0, 1, 2, 0, 3, 4]);
  equal('the story leaves the rest out', found.filter((moment) => !tells(moment)).map(({ lane }) => lane), ['queue']);
  equal('how often a task is overwritten', timesOf(timeline, 'overwritten'), 1);
  equal('what occurs', [occurs(timeline, 'stale'), occurs(timeline, 'robbed')], [true, false]);
  const crowd = Array.from({ length: 31 }, (_, index) => point(index, 'worker-1', '', 'refused'));
  equal('too many for numbers', momentsOf({ ends_ms: 100, lanes: [], bars: null, points: crowd }).every(({ number }) => number === 0), true);
  equal('nothing yet', momentsOf({ ends_ms: 0, lanes: [], points: null, bars: null }), []);
}

function scale() {
  const timeline = { ends_ms: 5000, lanes: [], bars: [{ from_ms: 0, to_ms: 4000, lane: 'a', text: '', kind: 'lease' }], points: [0, 1, 2, 3, 4000, 4001].map((at) => point(at, 'a', '')) };
  const { x, width } = scaleOf(timeline, 600);
  const places = [0, 1, 2, 3, 3500, 4000, 4001, 5000].map(x);
  equal('time goes on to the right', places.every((at, index) => index === 0 || at > places[index - 1]), true);
  equal('instants keep apart', x(1) - x(0) > 12 && x(4001) - x(4000) > 12, true);
  equal('the width is used', Math.abs(width - 600) < 1, true);
  const empty = scaleOf({ ends_ms: 0, lanes: [], points: null, bars: null }, 600);
  equal('an empty timeline has a place for its begin', [empty.x(0), empty.width], [0, 0]);
  const crowd = scaleOf({ ends_ms: 9000, lanes: [], bars: null, points: Array.from({ length: 2000 }, (_, index) => point(index * 4, 'a', '')) }, 600);
  equal('a crowd stays drawable', crowd.width < 9000, true);
}

function rows() {
  const bar = (/** @type {number} */ from, /** @type {number} */ to) => ({ from_ms: from, to_ms: to, lane: 'a', text: '', kind: 'lease' });
  equal('bars that overlap', rowsOf([bar(0, 10), bar(5, 20), bar(10, 12), bar(11, 13)]).map(({ row }) => row), [0, 1, 0, 2]);
}

function findings() {
  const task = 'task acme/C#01M8/01M9: ';
  equal('findings', groupFindings([
    `P1 ${task}two results were saved: a…, then b… (#37 #46)`, `P1 ${task}two results were saved: a…, then b… (#37 #47)`,
    `P2 ${task}worker-3 completed with version 1 (#36)`, 'P5 nothing ended', 'something else',
  ]), [
    { promise: 'P1', texts: ['two results were saved: a…, then b…'] }, { promise: 'P2', texts: ['worker-3 completed with version 1'] },
    { promise: 'P5', texts: ['nothing ended'] }, { promise: 'something', texts: ['else'] },
  ]);
}

function words() {
  equal('a freeze', plainly('kill -STOP worker-1: it has the answer'), 'Worker 1 is frozen: it has the answer');
  equal('a finding', plainly('worker-3 completed with version 1 although'), 'Worker 3 completed at assignment 1 although');
  equal('a message', plainly('gets a message from api-2'), 'gets a message from the API');
  equal('broken and found', verdictOf({ id: 'D11', name: '', status: 'failed', seconds: 1, acts: [] }, 'unfenced-save'), 'noticed');
  equal('broken and not found', verdictOf({ id: 'D01', name: '', status: 'passed', seconds: 1, acts: [] }, 'unfenced-save'), 'unnoticed');
  const run = { run: '1', version: 1, state: 'done', progress: '', error: '', broken: '', wanted: ['D01', 'D11'], playing: null, drills: [{ id: 'D01', status: 'passed', acts: [] }, { id: 'D11', status: 'failed', acts: [] }] };
  equal('nearly over', runText(/** @type {any} */ ({ ...run, state: 'playing' })), 'Cleaning up, a moment …');
  equal('a run', runText(/** @type {any} */ (run)), '1 drill of 2 did not end as it must: D11.');
}

function routes() {
  equal('the list', parseRoute('#/drills'), { name: 'drills', id: '' });
  equal('a drill', parseRoute('#/drills/D11'), { name: 'drills', id: 'D11' });
  equal('no drill', parseRoute('#/drills/../x'), { name: 'home' });
}

export function run() {
  moments();
  scale();
  rows();
  findings();
  words();
  routes();
  return failures;
}
