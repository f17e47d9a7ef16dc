// What the failure drills are called on the page. Everything here is for readers
// who have never heard of leases or versions.

import { plural } from './text.js';

/** @typedef {import('./drill_desk.js').Ended} Ended @typedef {import('./drill_desk.js').RunView} RunView */

/** Who takes part, with what they are for. @type {Record<string, [string, string]>} */
const PARTS = {
  drill: ['The drill', 'what is broken on purpose, and when'],
  browser: ['Browser', 'ada, the person who asks in these drills'],
  API: ['API', 'takes the question, stores it as a task, and shows its reply'],
  queue: ['Queue', 'tells workers that there is something to do'],
  dispatcher: ['Dispatcher', 'looks for tasks that nobody works on, and for those whose time is over'],
  worker: ['Worker', 'takes a task for a few seconds, asks the provider and saves the reply; there are several, with numbers, and each may take any task'],
  provider: ['Provider', 'the model that writes answers; a stand-in that costs nothing here'],
  task: ['Task', 'what is stored about the question: one place for one reply'],
};

export const PART_LIST = Object.values(PARTS);

/** @param {string} lane @returns {string} */
export function laneName(lane) {
  const worker = /^(worker|indexer)-(\d+)$/.exec(lane);
  return worker ? `${worker[1] === 'worker' ? 'Worker' : 'Indexer'} ${worker[2]}` : PARTS[lane]?.[0] ?? lane;
}

/** What stands out, in the order of the legend. @type {Record<string, string>} */
export const MARKS = {
  fault: 'The drill does something',
  killed: 'A process is killed',
  lost: 'An answer gets lost',
  over: 'The time is over for which a worker may hold the task',
  turned_away: 'A claim is refused: a worker came while the task was not free',
  refused: 'A write is refused: the protection at work',
  saved: 'A reply is saved',
  stale: 'A worker writes that no longer has the task: must never happen',
  robbed: 'The rightful worker is turned away: must never happen',
  overwritten: 'A saved reply is overwritten: must never happen',
};

/** What does not stand out. */
export const SMALL = 'Another event: the lists below tell it';

/** Who the story is about. */
export const CAST = '“ada” is the person who asks in this drill. Workers have numbers, and each may take any task; each time one does is an assignment.';

/** Said at the time axis. */
export const AXIS_NOTE = 'Time runs to the right. Quiet time is shortened, so seconds differ in width.';

export const SCROLL_NOTE = 'The picture is wider than the screen: scroll it sideways.';

/** @type {Record<string, string>} */
export const BARS = {
  lease: 'A worker holds the task',
  call: 'The provider works on a request',
  frozen: 'A process stands still',
};

/** The promises, as a person would say them. @type {Record<string, string>} */
const PROMISES = {
  P1: 'At most one reply is saved for a question, and it never changes.',
  P2: 'Only the worker that holds the task now can save.',
  P3: 'Every change of hands is counted, and nothing else is.',
  P4: 'One press of Send makes one task, however often it is repeated.',
  P5: 'Every accepted question ends in time, whatever dies.',
  P6: 'There is one budget for a question, and nothing refills it.',
  P7: 'No message is thrown away while there is work left.',
  P8: 'Every request to the provider is noted before it is sent.',
  P9: 'A worker that does not hear whether a write arrived looks it up instead of working again.',
  P10: 'A late failure or Stop cannot erase anything.',
  P11: 'Nobody sees or changes what belongs to others.',
  P12: 'Each version of a document is indexed once, and the current one is whole and never goes back.',
  P14: 'The task shows what it has cost, calls in vain included.',
  'due-time': 'Open tasks are always on the dispatcher’s list.',
  'end-final': 'A task that has ended never changes.',
  linearizable: 'A task behaves as one thing, whoever touches it at once.',
};

/** @param {string} id @param {string} [title] */
export function promiseText(id, title = '') {
  return PROMISES[id] ?? title;
}

/** @type {Record<string, string>} */
const VERDICTS = { kept: 'Kept', broken: 'Broken', 'not seen': 'Did not come up' };

/** @param {string} verdict */
export function verdictText(verdict) {
  return VERDICTS[verdict] ?? verdict;
}

/**
 * Signals and process names as people say them.
 * @param {string} text
 */
export function plainly(text) {
  return text
    .replace(/^kill -STOP (\S+?)(?=[:,]|$)/, '$1 is frozen')
    .replace(/^kill -CONT (\S+?)(?=[:,]|$)/, '$1 is woken up')
    .replace(/^kill -9 (\S+?)(?=[:,]|$)/, '$1 is killed')
    .replaceAll(/\b(?:with|at) version (\d+)/g, 'at assignment $1')
    .replaceAll(/\bworker-(\d+)\b/g, 'Worker $1')
    .replaceAll(/\bindexer-(\d+)\b/g, 'Indexer $1')
    .replaceAll(/\b(api|dispatcher)-\d+\b/g, (_, name) => (name === 'api' ? 'the API' : 'the dispatcher'));
}

/** @param {number} ms */
export function secondsText(ms) {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

/** @typedef {'passed'|'failed'|'noticed'|'unnoticed'|'not_played'} Verdict */

/**
 * What a drill came to. With a rule taken away, failing is what it is for.
 * @param {Ended} ended
 * @param {string} broken
 * @returns {Verdict}
 */
export function verdictOf(ended, broken) {
  if (ended.status === 'not_played' || !broken) return ended.status;
  return ended.status === 'failed' ? 'noticed' : 'unnoticed';
}

/** @type {Record<Verdict, string>} */
const HEADLINES = {
  passed: 'As it must be',
  failed: 'Not as it must be',
  noticed: 'Without the rule, it breaks',
  unnoticed: 'This drill does not need that rule',
  not_played: 'Not played',
};

/** @param {Verdict} verdict */
export function headlineOf(verdict) {
  return HEADLINES[verdict];
}

/** @type {Record<Verdict, string>} */
const EXPLANATIONS = {
  passed: '',
  failed: 'The service did not do what it promises. This is a defect.',
  noticed: 'This is what the rule is for. The service as it is delivered has it, and there the same drill ends as it must.',
  unnoticed: 'Nothing broke: other rules carry this drill.',
  not_played: 'Nothing of it could be played here.',
};

/** @param {Verdict} verdict */
export function explanationOf(verdict) {
  return EXPLANATIONS[verdict];
}

/** @param {number} times */
export function overwrittenText(times) {
  return `The saved reply was overwritten ${times === 1 ? 'once' : `${times} times`}: whoever had read it finds another one in its place, and both were paid for.`;
}

export const STALE_SAVE = 'A worker that no longer had the task wrote all the same, while another one was at work on it. What you read is left to chance.';

export const ROBBED = 'The rightful worker is turned away: its reply, which was paid for, is thrown away.';

/** @param {RunView} run @returns {string} one sentence about the run */
export function runText(run) {
  const done = run.drills.length;
  const of = run.wanted.length;
  switch (run.state) {
    case 'starting':
      return run.progress ? `Getting ready: ${run.progress} …` : 'Getting ready …';
    case 'playing': {
      if (!run.playing && of > 0 && done === of) return 'Cleaning up, a moment …';
      if (of === 1) return run.playing ? 'Playing …' : 'Getting ready …';
      const now = run.playing ? `Playing ${run.playing.drill}` : 'Getting the next one ready';
      return `${now}: ${done} of ${of} are over.`;
    }
    case 'stopped':
      return done === 0 ? 'Stopped before a drill was over.' : `Stopped. ${plural(done, 'drill')} had ended before.`;
    case 'failed':
      return 'The drills could not be played.';
    default:
      return doneText(run);
  }
}

/** @param {RunView} run */
function doneText(run) {
  const bad = run.drills.filter(({ status }) => status === 'failed').map(({ id }) => id);
  if (run.broken) {
    return bad.length > 0 ? `Played without a safety rule: ${bad.join(', ')} shows what breaks.` : 'Played without a safety rule: nothing broke in what was played.';
  }
  const played = run.drills.filter(({ status }) => status === 'passed').length;
  if (bad.length > 0) return `${plural(bad.length, 'drill')} of ${run.drills.length} did not end as it must: ${bad.join(', ')}.`;
  return played === 1 ? 'The drill ended as it must.' : `All ${played} drills ended as they must.`;
}

/** Advice for a run that could not be played. */
export const FAILED_ADVICE = 'Drills build the service and start it a second time, so they need the folder that “make run” was started in, Go, and some free memory. '
  + 'Look at the message below, mend what it says, and press the button again.';

export const TROUBLE = {
  silent: 'The service on this machine does not answer. If it was stopped, start it again with “make run”; this page goes on by itself.',
  gone: 'The service was started anew and has forgotten the run. Press the button to play again.',
  joined: 'A run was already under way, perhaps started in another tab. You are watching it now; yours was not started.',
  lost: 'The picture of this drill is no longer kept: only the last run is. Play the drill again to see it.',
};
