// What a timeline of a drill amounts to on the page: which moments matter, and
// where in the picture a time is.

/**
 * @typedef {{at_ms: number, lane: string, text: string, mark?: string}} Point
 * @typedef {{from_ms: number, to_ms: number, lane: string, text: string, kind: string}} Bar
 * @typedef {{ends_ms: number, lanes: string[], points: Point[]|null, bars: Bar[]|null}} Timeline
 * @typedef {Point & {number: number}} Moment number counts what stands out from 1; 0: does not stand out
 */

// More numbers than this are noise.
const MOST_NUMBERS = 30;

/**
 * The points, with numbers for those that stand out.
 * @param {Timeline} timeline
 * @returns {Moment[]}
 */
export function momentsOf(timeline) {
  const points = timeline.points ?? [];
  const numbered = points.filter(({ mark }) => mark).length <= MOST_NUMBERS;
  let last = 0;
  return points.map((point) => ({ ...point, number: numbered && point.mark ? (last += 1) : 0 }));
}

/** How often the task has had a mark. @param {Timeline} timeline @param {string} mark */
export function timesOf(timeline, mark) {
  return (timeline.points ?? []).filter((point) => point.mark === mark && point.lane === 'task').length;
}

/** Whether anything has a mark. @param {Timeline} timeline @param {string} mark */
export function occurs(timeline, mark) {
  return (timeline.points ?? []).some((point) => point.mark === mark);
}

/** Whether a moment is one of those that tell the story. @param {Moment} moment */
export function tells({ mark, lane, text }) {
  return Boolean(mark) || lane === 'browser' || text.includes('takes the task');
}

// Things happen in bursts of milliseconds with seconds between them. So each
// instant that differs from the one before gets a little room of its own, and
// the rest of the width goes to the time that has passed.
const ROOM = 13;
const LEAST_PER_SECOND = 36;
const MOST_PER_SECOND = 130;

/**
 * @param {Timeline} timeline
 * @param {number} width that is there
 * @returns {{x: (ms: number) => number, width: number}}
 */
export function scaleOf(timeline, width) {
  const bars = timeline.bars ?? [];
  const times = new Set([0, timeline.ends_ms, ...(timeline.points ?? []).map(({ at_ms: at }) => at), ...bars.flatMap((bar) => [bar.from_ms, bar.to_ms])]);
  const sorted = [...times].filter((ms) => ms >= 0).sort((a, b) => a - b);
  const room = sorted.length > 250 ? 3 : ROOM;
  const seconds = Math.max(timeline.ends_ms, 1) / 1000;
  const perSecond = Math.min(Math.max((width - (sorted.length - 1) * room) / seconds, LEAST_PER_SECOND), MOST_PER_SECOND);
  const places = sorted.map((ms, index) => index * room + (ms / 1000) * perSecond);
  return { x: (ms) => interpolate(sorted, places, ms), width: places.at(-1) ?? 0 };
}

/** @param {number[]} from @param {number[]} to @param {number} value */
function interpolate(from, to, value) {
  let high = from.findIndex((candidate) => candidate >= value);
  if (high === -1) high = from.length - 1;
  if (high === 0 || from[high] === value) return to[high];
  const part = (value - from[high - 1]) / (from[high] - from[high - 1]);
  return to[high - 1] + part * (to[high] - to[high - 1]);
}

/**
 * Puts bars that overlap into rows of their own.
 * @param {Bar[]} bars
 * @returns {{bar: Bar, row: number}[]}
 */
export function rowsOf(bars) {
  /** @type {number[]} */
  const ends = [];
  return [...bars].sort((a, b) => a.from_ms - b.from_ms).map((bar) => {
    let row = ends.findIndex((end) => end <= bar.from_ms);
    if (row === -1) row = ends.length;
    ends[row] = bar.to_ms;
    return { bar, row };
  });
}

/**
 * The checker's findings, the same ones of one promise together and without the
 * numbers of tasks and events.
 * @param {string[]} findings
 * @returns {{promise: string, texts: string[]}[]}
 */
export function groupFindings(findings) {
  /** @type {Map<string, Set<string>>} */
  const groups = new Map();
  for (const finding of findings) {
    const [, promise, text] = /^(\S+) (?:task \S+: )?(.*?)(?: \(#[^()]*\))?$/s.exec(finding) ?? ['', '', finding];
    groups.set(promise, (groups.get(promise) ?? new Set()).add(text));
  }
  return [...groups].map(([promise, texts]) => ({ promise, texts: [...texts] }));
}
