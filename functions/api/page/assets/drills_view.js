// The place of the failure drills: all of them in a list, or one of them.

import { arrange, button, byId, h, setText, show, stateMark } from './dom.js';
import { DrillDesk, underWay } from './drill_desk.js';
import { DrillPicture } from './drill_picture.js';
import { DrillView } from './drill_view.js';
import { FAILED_ADVICE, headlineOf, PART_LIST, promiseText, runText, verdictOf } from './drill_words.js';

/**
 * @typedef {import('./drill_desk.js').Drill} Drill
 * @typedef {import('./drill_desk.js').RunView} RunView
 */

// What a whole run takes, for people who wonder whether to press the button.
const MINUTES = 3;

export class DrillsView {
  /**
   * @param {object} options
   * @param {string} options.base
   * @param {import('./announcer.js').Announcer} options.announcer
   */
  constructor({ base, announcer }) {
    this.announcer = announcer;
    /** @type {HTMLElement} */
    this.element = byId('drills');
    this.desk = new DrillDesk({
      base, onChange: () => this.#plan(),
      onEnded: (result) => this.#tell(result),
      onOver: (run) => this.#tellEnd(run),
    });
    /** @type {string|null} */
    this.shown = null;
    /** @type {DrillView|null} */
    this.drill = null;
    this.planned = false;
    this.entered = false;
    this.drawnTrouble = '';
    /** @type {Map<string, ReturnType<typeof row>>} */
    this.rows = new Map();
  }

  /** Whether there are drills here. */
  available() {
    return this.desk.load();
  }

  /**
   * @param {string} id of a drill; "" for the list
   * @param {boolean} focus whether the person came here by a link or a button
   */
  enter(id, focus) {
    if (this.shown !== id) {
      this.shown = id;
      this.#build(id);
      this.element.parentElement?.scrollTo(0, 0);
    }
    this.entered = true;
    show(this.element, true);
    // Whoever comes with the keyboard goes on from the heading.
    if (focus) this.element.querySelector('h1')?.focus({ preventScroll: true });
    this.desk.enter();
    this.render();
  }

  leave() {
    this.entered = false;
    this.desk.leave();
  }

  /** @param {string} id */
  #build(id) {
    const drill = this.desk.drills.find((candidate) => candidate.id === id);
    this.drill = drill ? new DrillView(this.desk, drill) : null;
    this.note = h('p', { class: 'drill-notice' });
    this.trouble = h('div', { class: 'drill-trouble', attributes: { role: 'alert' } });
    this.element.replaceChildren(this.drill?.element ?? this.#list(), this.note, this.trouble);
    const anchor = this.drill ? this.element.querySelector('.drill-actions') : this.element.querySelector('.drills-run');
    anchor?.after(this.note, this.trouble);
  }

  #list() {
    const { desk } = this;
    const playable = desk.drills.filter((drill) => drill.playable).length;
    this.all = button(`Play all ${playable}, about ${MINUTES} minutes`, () => void desk.play([]), 'primary');
    this.stop = button('Stop', () => void desk.stop(), 'quiet');
    this.status = h('p', { class: 'drill-status' });
    this.bad = h('p', { class: 'drill-bad' });
    this.progress = h('progress', { class: 'drill-progress', attributes: { 'aria-label': 'Drills that are over' } });
    this.liveTitle = h('h2', { class: 'act-title' });
    this.picture = new DrillPicture();
    this.live = h('section', { class: 'act live', attributes: { 'aria-label': 'The drill that is being played' } }, this.liveTitle, this.picture.element);
    this.items = h('ul', { class: 'drill-list' });
    return h('div', { class: 'drills-page' },
      h('h1', { text: 'Failure drills', attributes: { id: 'drills-heading', tabindex: '-1' } }),
      h('p', { class: 'home-lead', text: 'Things break: workers crash, connections drop, messages come twice. Here you can break them yourself and watch that your question still gets one reply, and never two.' }),
      h('p', { class: 'drills-how', text: 'Each drill starts a copy of this service on your machine, asks it a question, breaks something at the worst moment, and checks what became of the question. Your own documents and questions are not touched, and no model is paid: a stand-in answers.' }),
      h('details', { class: 'technical' }, h('summary', { text: 'Who takes part?' }),
        h('dl', { class: 'parts' }, ...PART_LIST.map(([name, what]) => h('div', { class: 'fact' }, h('dt', { text: name }), h('dd', { text: what }))))),
      h('div', { class: 'drills-run' }, h('div', { class: 'drill-actions' }, this.all, this.stop, this.status), this.bad, this.progress),
      this.live,
      desk.drills.length > 0 ? this.items : h('p', { class: 'drill-note', text: 'This service has no drills. Start the newest version with “make run”.' }));
  }

  /** Draws once per frame, however often the run has news. */
  #plan() {
    if (this.planned || !this.entered) return;
    this.planned = true;
    requestAnimationFrame(() => {
      this.planned = false;
      if (this.entered) this.render();
    });
  }

  render() {
    const { desk } = this;
    setText(/** @type {Element} */ (this.note), desk.notice);
    show(/** @type {HTMLElement} */ (this.note), desk.notice !== '');
    this.#renderTrouble();
    if (this.drill) this.drill.render();
    else this.#renderList();
  }

  #renderTrouble() {
    const { run, trouble } = this.desk;
    const failed = run?.state === 'failed' ? run.error || 'no reason was given' : '';
    const drawn = `${trouble} ${failed}`;
    if (drawn === this.drawnTrouble && this.trouble?.hasChildNodes()) return;
    this.drawnTrouble = drawn;
    this.trouble?.replaceChildren(
      ...(trouble ? [h('p', { text: trouble })] : []),
      ...(failed ? [h('p', {}, h('strong', { text: 'The drills could not be played. ' }), FAILED_ADVICE), h('pre', { text: failed, attributes: { tabindex: '0' } })] : []));
    if (this.trouble) show(this.trouble, Boolean(trouble || failed));
  }

  #renderList() {
    const { run, asking, isStopping } = this.desk;
    const busy = underWay(run);
    if (this.all) this.all.disabled = busy || asking || this.desk.drills.length === 0;
    if (this.stop) {
      show(this.stop, busy);
      this.stop.disabled = asking || isStopping;
    }
    setText(/** @type {Element} */ (this.status), isStopping ? 'Stopping …' : run && run.state !== 'failed' ? runText(run) : '');
    this.#renderBad();
    this.#renderProgress(run, busy);
    this.#renderLive(run, busy);
    arrange(/** @type {HTMLElement} */ (this.items), this.desk.drills.map((drill) => this.#row(drill, busy || asking)));
  }

  /** The way to what went wrong, which may be far down. */
  #renderBad() {
    const bad = this.desk.drills.filter(({ id }) => ['failed', 'noticed'].includes(this.#verdict(id) ?? ''));
    if (this.bad && this.bad.childElementCount !== bad.length) {
      this.bad.replaceChildren(...bad.map(({ id, name }) => h('a', { text: `See what happened: ${name}`, attributes: { href: `#/drills/${id}` } })));
    }
  }

  /** @param {string} id */
  #verdict(id) {
    const result = this.desk.results.get(id);
    return result && verdictOf(result.ended, result.broken);
  }

  /** @param {RunView|null} run @param {boolean} busy */
  #renderProgress(run, busy) {
    const bar = this.progress;
    if (!bar) return;
    show(bar, busy && (run?.wanted.length ?? 0) > 1);
    if (!run) return;
    bar.max = Math.max(run.wanted.length, 1);
    bar.value = run.drills.length;
  }

  /** @param {RunView|null} run @param {boolean} busy */
  #renderLive(run, busy) {
    const now = busy ? run?.playing : null;
    if (this.live) show(this.live, Boolean(now));
    if (!now) return;
    const name = this.desk.drills.find(({ id }) => id === now.drill)?.name ?? now.drill;
    setText(/** @type {Element} */ (this.liveTitle), `Now: ${now.drill} ${name}${now.act ? ` (${now.act})` : ''}`);
    this.picture?.show({ ...now.timeline, points: now.timeline.points ?? [], bars: now.timeline.bars ?? [], lanes: now.timeline.lanes ?? [] }, true);
  }

  /** @param {Drill} drill @param {boolean} busy */
  #row(drill, busy) {
    let item = this.rows.get(drill.id);
    if (!item) {
      item = row(drill, () => {
        location.hash = `#/drills/${drill.id}`;
        void this.desk.play([drill.id]);
      });
      this.rows.set(drill.id, item);
    }
    const { state, text } = this.#stateOf(drill);
    item.element.dataset.status = state;
    setText(item.state, text);
    if (item.play) item.play.disabled = busy;
    return item.element;
  }

  /** @param {Drill} drill */
  #stateOf(drill) {
    const { run, results } = this.desk;
    if (underWay(run) && run?.playing?.drill === drill.id) return { state: 'playing', text: 'Being played' };
    const result = results.get(drill.id);
    const waits = underWay(run) && run?.wanted.includes(drill.id) && result?.run !== run.run;
    if (waits) return { state: 'waits', text: 'Comes next or later' };
    if (result) {
      const verdict = verdictOf(result.ended, result.broken);
      return { state: verdict, text: `${headlineOf(verdict)} · ${result.ended.seconds.toFixed(1)} s` };
    }
    return drill.playable ? { state: 'none', text: 'Not played yet' } : { state: 'not_playable', text: `Cannot be played here: ${drill.why_not}` };
  }

  // Each verdict is said once, when it comes. Of a long run only what went wrong
  // is said in between, and the sum at its end.

  /** @param {import('./drill_desk.js').Result} result */
  #tell(result) {
    const verdict = verdictOf(result.ended, result.broken);
    const alone = this.desk.run?.wanted.length === 1;
    if (!alone && verdict !== 'failed') return;
    const told = result.ended.acts.map((act) => act.told).join(' ');
    this.announcer.changed(`drill/${result.run}/${result.ended.id}`, verdict, `${result.ended.name}: ${headlineOf(verdict)}. ${alone ? told : ''}`.trim());
  }

  /** @param {RunView} run */
  #tellEnd(run) {
    // A verdict has said it, or the alert does.
    if ((run.wanted.length === 1 && run.state === 'done') || run.state === 'failed') return;
    this.announcer.changed(`drills/${run.run}`, run.state, runText(run));
  }
}

/** @param {Drill} drill @param {() => void} onPlay */
function row(drill, onPlay) {
  const state = h('p', { class: 'drill-state' });
  const play = drill.playable ? button('Play', onPlay, 'quiet small') : null;
  play?.setAttribute('aria-label', `Play: ${drill.name}`);
  const about = [h('p', {}, h('strong', { text: 'What must be seen: ' }), drill.must_see)];
  if (drill.acts.length > 0) about.push(h('p', {}, h('strong', { text: 'Played in turn: ' }), drill.acts.join('; ')));
  const promises = drill.promises.map((id) => h('li', {}, h('span', { class: 'promise-id', text: id }), ` ${promiseText(id)}`));
  const element = h('li', { class: 'drill', attributes: { 'data-status': 'none' } },
    stateMark(),
    h('div', { class: 'drill-body' },
      h('h2', {}, h('span', { class: 'drill-id', text: drill.id }), ' ', h('a', { text: drill.name, attributes: { href: `#/drills/${drill.id}` } })),
      h('p', { class: 'drill-happens', text: drill.happens }),
      state,
      h('details', {}, h('summary', { text: 'What must be seen' }), ...about,
        promises.length > 0 ? h('ul', { class: 'promise-list' }, ...promises) : null)),
    h('div', { class: 'drill-play' }, play));
  return { element, state, play };
}
