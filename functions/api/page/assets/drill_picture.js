// Draws the timeline of a drill: a lane for each who takes part, bars for what
// lasts, marks for what happens. Shapes and words tell them apart; colours only
// help. The list below the picture says the same in words.

import { h, setText, show } from './dom.js';
import { momentsOf, rowsOf, scaleOf, tells } from './drill_model.js';
import { AXIS_NOTE, BARS, CAST, laneName, MARKS, plainly, SCROLL_NOTE, secondsText, SMALL } from './drill_words.js';
import { plural } from './text.js';

/**
 * @typedef {import('./drill_model.js').Timeline} Timeline
 * @typedef {import('./drill_model.js').Moment} Moment
 * @typedef {import('./drill_model.js').Bar} Bar
 */

const SVG = 'http://www.w3.org/2000/svg';

// Measures in pixels; text in the picture is not scaled.
const AXIS = 22;
const MARK_ROW = 30;
const BAR_ROW = 21;
const LEAST_LANE = 36;
const SPACING = 17;
const LETTER = 6.4;
const NAMES = 92;
const MARGIN = 14;
const END = 40; // room for the last marks and their numbers

/**
 * @param {string} tag
 * @param {Record<string, string|number>} attributes
 * @param {...(Node|string)} children
 */
function shape(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** What each mark looks like, in a box of 16 by 16 around its middle. @type {Record<string, () => Element[]>} */
const GLYPHS = {
  plain: () => [shape('circle', { r: 3 })],
  fault: () => [shape('path', { d: 'M1.6-7.4-4.8 1.2h4l-1.4 6.2 6.6-9h-4.2z' })],
  killed: () => [shape('rect', { x: -6.5, y: -6.5, width: 13, height: 13, rx: 2.5 }), shape('path', { class: 'glyph-line', d: 'M-3-3 3 3M3-3-3 3' })],
  lost: () => [shape('circle', { class: 'glyph-dashed', r: 5.8 }), shape('path', { class: 'glyph-stroke', d: 'M-6.5 6.5 6.5-6.5' })],
  over: () => [shape('path', { class: 'glyph-stroke', d: 'M-5-7H5M-5 7H5M-4-6.5 4 6.5M4-6.5-4 6.5' })],
  turned_away: () => [shape('circle', { class: 'glyph-ring', r: 6 }), shape('path', { class: 'glyph-stroke', d: 'M-3 0H3' })],
  refused: () => [shape('circle', { r: 7 }), shape('path', { class: 'glyph-line', d: 'M-4 0H4' })],
  saved: () => [shape('circle', { class: 'glyph-ring', r: 6 }), shape('circle', { r: 2.6 })],
  stale: () => [shape('path', { d: 'M0-8 8 0 0 8-8 0z' }), shape('path', { class: 'glyph-line', d: 'M0-3.6V.8M0 3.6v.1' })],
  robbed: () => [shape('path', { d: 'M-3.3-8H3.3L8-3.3V3.3L3.3 8H-3.3L-8 3.3V-3.3z' }), shape('path', { class: 'glyph-line', d: 'M-4 0H4' })],
  overwritten: () => [shape('path', { d: 'M0-8 8 6.5H-8z' }), shape('path', { class: 'glyph-line', d: 'M0-3.4V1.4M0 4.1v.1' })],
};

/** @param {string} mark "" for none */
export function glyph(mark) {
  const draw = GLYPHS[mark] ?? GLYPHS.plain;
  return shape('g', { class: `glyph glyph-${GLYPHS[mark] ? mark : 'plain'}` }, ...draw());
}

/** A glyph in running text. @param {string} mark */
function inlineGlyph(mark) {
  return shape('svg', { class: 'story-mark', viewBox: '-9 -9 18 18', width: 18, height: 18, 'aria-hidden': 'true' }, glyph(mark));
}

export class DrillPicture {
  constructor() {
    this.names = shape('svg', { class: 'picture-names', 'aria-hidden': 'true' });
    this.scroll = h('div', { class: 'picture-scroll', attributes: { tabindex: '0', role: 'region', 'aria-label': 'Timeline, scrolls sideways' } });
    this.legend = h('ul', { class: 'legend', attributes: { 'aria-label': 'What the signs mean' } });
    this.story = h('ol', { class: 'story' });
    this.rest = h('ol', { class: 'story story-whole' });
    this.restTitle = h('summary', {});
    this.whole = h('details', { class: 'story-details' }, this.restTitle, this.rest);
    this.more = h('span', { class: 'picture-scrolls', text: ` ${SCROLL_NOTE}` });
    this.frame = h('div', { class: 'picture-frame' }, this.names, this.scroll);
    this.element = h('figure', { class: 'picture' },
      h('p', { class: 'picture-note' }, AXIS_NOTE, this.more), this.frame, this.legend,
      h('h3', { class: 'story-title', text: 'What happened, step by step' }), h('p', { class: 'picture-note', text: CAST }), this.story, this.whole);
    this.follow = true;
    this.scroll.addEventListener('scroll', () => {
      this.#fade();
      this.follow = this.scroll.scrollLeft + this.scroll.clientWidth >= this.scroll.scrollWidth - 40;
    });
    /** @type {Timeline|null} */
    this.timeline = null;
    // The picture uses the room that there is, so it is drawn anew for another.
    new ResizeObserver(() => { if (this.timeline && this.scroll.clientWidth !== this.width) this.#draw(); }).observe(this.scroll);
  }

  /** @param {Timeline} timeline @param {boolean} live whether it still grows */
  show(timeline, live) {
    this.timeline = timeline;
    this.live = live;
    this.#draw();
    const moments = momentsOf(timeline);
    this.#tell(moments);
    this.#explain(moments, timeline.bars ?? []);
  }

  #draw() {
    const timeline = /** @type {Timeline} */ (this.timeline);
    this.width = this.scroll.clientWidth;
    const scale = scaleOf(timeline, Math.max(this.width, 240) - MARGIN - END);
    const x = (/** @type {number} */ ms) => MARGIN + scale.x(ms);
    const width = Math.max(scale.width + MARGIN + END, this.width);
    const lanes = layOut(timeline);
    const height = AXIS + lanes.reduce((sum, lane) => sum + lane.height, 0) + 4;
    const moments = momentsOf(timeline);
    const picture = shape('svg', {
      class: 'picture-svg', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img',
      'aria-label': `Timeline with ${plural(moments.length, 'event')} of ${plural(lanes.length, 'participant')} in ${secondsText(timeline.ends_ms)}. The list below says the same in words.`,
    });
    this.names.setAttribute('width', String(NAMES));
    this.names.setAttribute('height', String(height));
    this.names.replaceChildren();
    let y = AXIS;
    lanes.forEach((lane, index) => {
      if (index % 2 === 0) {
        picture.append(shape('rect', { class: 'lane-band', x: 0, y, width, height: lane.height }));
        this.names.append(shape('rect', { class: 'lane-band', x: 0, y, width: NAMES, height: lane.height }));
      }
      this.names.append(shape('text', { class: 'lane-name', x: 8, y: y + 20 }, laneName(lane.name)));
      picture.append(shape('line', { class: 'lane-line', x1: 0, x2: width, y1: y + MARK_ROW / 2, y2: y + MARK_ROW / 2 }));
      y += lane.height;
    });
    picture.prepend(...axis(timeline.ends_ms, x, height));
    y = AXIS;
    for (const lane of lanes) {
      lane.bars.forEach(({ bar, row }, index) => {
        const next = lane.bars.slice(index + 1).find((other) => other.row === row);
        picture.append(barShape(bar, x, y + MARK_ROW + row * BAR_ROW, next ? x(next.bar.from_ms) : width));
      });
      picture.append(...marksOf(moments.filter((moment) => moment.lane === lane.name), x, y + MARK_ROW / 2, width));
      y += lane.height;
    }
    if (this.live) picture.append(shape('line', { class: 'now-line', x1: x(timeline.ends_ms), x2: x(timeline.ends_ms), y1: AXIS - 4, y2: height }));
    this.scroll.replaceChildren(picture);
    if (this.live && this.follow) this.scroll.scrollLeft = this.scroll.scrollWidth;
    show(this.more, this.scroll.scrollWidth > this.scroll.clientWidth + 1);
    this.#fade();
  }

  /** Shows that the picture goes on, where it does. */
  #fade() {
    const { scrollLeft, clientWidth, scrollWidth } = this.scroll;
    this.frame.classList.toggle('picture-goes-on', scrollLeft + clientWidth < scrollWidth - 4);
  }

  /** @param {Moment[]} moments */
  #tell(moments) {
    const others = moments.filter((moment) => !tells(moment));
    this.story.replaceChildren(...moments.filter(tells).map(momentItem));
    this.rest.replaceChildren(...others.map(momentItem));
    setText(this.restTitle, `The other events (${others.length})`);
    show(this.whole, others.length > 0);
  }

  /** The legend has what occurs in this picture. @param {Moment[]} moments @param {Bar[]} bars */
  #explain(moments, bars) {
    const marks = Object.keys(MARKS).filter((mark) => moments.some((moment) => moment.mark === mark));
    const kinds = Object.keys(BARS).filter((kind) => bars.some((bar) => bar.kind === kind));
    this.legend.replaceChildren(
      ...marks.map((mark) => h('li', {}, inlineGlyph(mark), h('span', { text: MARKS[mark] }))),
      ...kinds.map((kind) => h('li', {}, swatch(kind), h('span', { text: BARS[kind] }))),
      ...(moments.some(({ mark }) => !mark) ? [h('li', {}, inlineGlyph(''), h('span', { text: SMALL }))] : []));
  }
}

/** @param {Timeline} timeline */
function layOut(timeline) {
  return (timeline.lanes ?? []).map((name) => {
    const bars = rowsOf((timeline.bars ?? []).filter(({ lane }) => lane === name));
    const rows = Math.max(0, ...bars.map(({ row }) => row + 1));
    return { name, bars, height: Math.max(LEAST_LANE, MARK_ROW + rows * BAR_ROW + 5) };
  });
}

/** @param {number} ends @param {(ms: number) => number} x @param {number} height */
function axis(ends, x, height) {
  const lines = [];
  let last = -Infinity;
  for (let second = 0; second * 1000 <= ends; second += 1) {
    const at = x(second * 1000);
    if (at - last < 44) continue;
    last = at;
    lines.push(shape('line', { class: 'axis-line', x1: at, x2: at, y1: AXIS - 6, y2: height }),
      shape('text', { class: 'axis-text', x: at + 3, y: 13 }, `${second} s`));
  }
  return lines;
}

/**
 * A bar with its text in it, or behind it.
 * @param {Bar} bar @param {(ms: number) => number} x @param {number} y @param {number} free up to where there is nothing else
 */
function barShape(bar, x, y, free) {
  const from = x(bar.from_ms);
  const width = Math.max(x(bar.to_ms) - from, 3);
  const rect = { x: from, y, width, height: BAR_ROW - 4, rx: 4 };
  const group = shape('g', { class: `bar bar-${bar.kind}` }, shape('title', {}, `${plainly(bar.text)}: ${secondsText(bar.from_ms)} to ${secondsText(bar.to_ms)}`), shape('rect', rect));
  if (bar.kind === 'frozen') group.append(shape('rect', { ...rect, class: 'bar-hatch', fill: 'url(#drill-hatch)' }));
  const texts = barText(bar);
  const inside = texts.find((candidate) => candidate.length * LETTER < width - 8);
  const behind = texts.find((candidate) => candidate.length * LETTER < free - from - width - 8);
  if (inside) group.append(shape('text', { x: from + 6, y: y + 12.5 }, inside));
  else if (behind) group.append(shape('text', { x: from + width + 5, y: y + 12.5 }, behind));
  return group;
}

/** Texts for a bar, the longest first. @param {Bar} bar */
function barText(bar) {
  const text = plainly(bar.text);
  switch (bar.kind) {
    case 'lease': {
      const [, of = '', number = '', more = ''] = /^(task \d+: )?assignment (\d+)(.*)$/i.exec(bar.text) ?? [];
      return [`${of}holds the task: assignment ${number}${more}`, `${of}assignment ${number}`, `assignment ${number}`];
    }
    case 'frozen':
      return ['stands still, knows nothing of it', 'stands still', 'still'];
    default:
      return [text, text.replace(/^task \d+: /, '')];
  }
}

/** @param {Moment[]} moments of one lane @param {(ms: number) => number} x @param {number} y @param {number} width */
function marksOf(moments, x, y, width) {
  let free = -Infinity;
  const drawn = [];
  for (const moment of moments) {
    // Neighbours give way to the right, so that each mark can be told.
    const at = Math.min(Math.max(x(moment.at_ms), free), width - END + 6);
    free = at + (moment.mark ? SPACING + (moment.number > 9 ? 8 : moment.number ? 4 : 0) : 12);
    const group = shape('g', { transform: `translate(${at.toFixed(1)} ${y})` },
      shape('title', {}, `${secondsText(moment.at_ms)}: ${plainly(moment.text)}`), glyph(moment.mark ?? ''));
    if (moment.number) group.append(shape('text', { class: 'mark-number', x: 8, y: -5 }, String(moment.number)));
    drawn.push(group);
  }
  // What stands out lies on top.
  return drawn.map((group, index) => ({ group, marked: Boolean(moments[index].mark) })).sort((a, b) => Number(a.marked) - Number(b.marked)).map(({ group }) => group);
}

/** @param {Moment} moment */
function momentItem(moment) {
  const meaning = moment.mark ? MARKS[moment.mark] : '';
  return h('li', { class: moment.mark ? `story-${moment.mark}` : '' },
    h('span', { class: 'story-number', text: moment.number ? String(moment.number) : '', attributes: { 'aria-hidden': 'true' } }),
    inlineGlyph(moment.mark ?? ''),
    h('span', { class: 'story-time', text: secondsText(moment.at_ms) }),
    h('span', { class: 'story-text' },
      h('span', { class: 'story-who', text: `${laneName(moment.lane)}: ` }), withoutName(moment),
      meaning && moment.mark !== 'fault' ? h('span', { class: 'visually-hidden', text: ` (${meaning})` }) : null));
}

/** Who it is stands before it already. @param {Moment} moment */
function withoutName({ lane, text }) {
  const plain = plainly(text);
  const name = `${laneName(lane)} `;
  return plain.startsWith(name) ? plain.slice(name.length) : plain;
}

/** @param {string} kind */
function swatch(kind) {
  const svg = shape('svg', { class: 'story-mark', viewBox: '0 0 22 14', width: 22, height: 14, 'aria-hidden': 'true' });
  const rect = { x: 1, y: 1, width: 20, height: 12, rx: 3 };
  const group = shape('g', { class: `bar bar-${kind}` }, shape('rect', rect));
  if (kind === 'frozen') group.append(shape('rect', { ...rect, class: 'bar-hatch', fill: 'url(#drill-hatch)' }));
  svg.append(group);
  return svg;
}
