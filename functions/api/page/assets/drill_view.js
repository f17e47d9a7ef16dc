// The place of one drill: what happens in it, the button, the picture as it
// grows, and what it came to.

import { button, h, setText, show } from './dom.js';
import { underWay } from './drill_desk.js';
import { DrillPicture } from './drill_picture.js';
import { actView } from './drill_result.js';
import { promiseText, runText, TROUBLE } from './drill_words.js';

/** @typedef {import('./drill_desk.js').DrillDesk} DrillDesk @typedef {import('./drill_desk.js').Drill} Drill */

export class DrillView {
  /** @param {DrillDesk} desk @param {Drill} drill */
  constructor(desk, drill) {
    this.desk = desk;
    this.drill = drill;
    this.drawn = '';
    this.picture = new DrillPicture();
    this.play = button('Play this drill', () => void desk.play([drill.id]), 'primary');
    this.stop = button('Stop', () => void desk.stop(), 'quiet');
    this.status = h('p', { class: 'drill-status' });
    this.live = h('section', { class: 'act live', attributes: { 'aria-label': 'The drill as it is played' } },
      h('h2', { class: 'act-title live-title' }), this.picture.element);
    this.acts = h('div', { class: 'acts' });
    this.breaks = this.#breaks();
    this.promises = h('details', { class: 'technical' }, h('summary', { text: 'The promises that this drill is about' }),
      h('ul', { class: 'promise-list' }, ...drill.promises.map((id) => h('li', {}, h('span', { class: 'promise-id', text: id }), ` ${promiseText(id)}`))));
    this.element = h('div', { class: 'drill-page' },
      h('p', {}, h('a', { text: '← All drills', attributes: { href: '#/drills' } })),
      h('p', { class: 'drill-number', text: `Drill ${drill.id}` }),
      h('h1', { text: drill.name, attributes: { id: 'drills-heading', tabindex: '-1' } }),
      h('p', { class: 'home-lead', text: drill.happens }),
      h('div', { class: 'must-see' }, h('h2', { text: 'What must be seen' }), h('p', { text: drill.must_see })),
      drill.playable
        ? h('div', { class: 'drill-actions' }, this.play, this.stop, this.status)
        : h('p', { class: 'drill-note', text: `Cannot be played here: ${drill.why_not}.` }),
      this.live, this.acts, this.breaks, this.promises);
  }

  render() {
    const { run, asking } = this.desk;
    const busy = underWay(run);
    const mine = busy && run !== null && run.wanted.includes(this.drill.id);
    this.play.disabled = busy || asking;
    this.stop.disabled = asking || this.desk.isStopping;
    show(this.stop, busy);
    setText(this.play, this.desk.results.has(this.drill.id) ? 'Play it again' : 'Play this drill');
    setText(this.status, this.desk.isStopping ? 'Stopping …' : mine || (busy && run) ? runText(/** @type {any} */ (run)) : '');
    for (const part of this.breaks?.querySelectorAll('button') ?? []) part.disabled = busy || asking;
    this.#renderLive();
    this.#renderActs();
  }

  #renderLive() {
    const { run } = this.desk;
    const now = underWay(run) && run?.playing?.drill === this.drill.id ? run.playing : null;
    show(this.live, now !== null);
    if (!now || !run) return;
    const title = this.live.querySelector('.live-title');
    if (title) setText(title, `${now.act ? `Now: ${now.act}` : 'As it happens'}${run.broken ? ', without a safety rule' : ''}`);
    this.picture.show({ ...now.timeline, points: now.timeline.points ?? [], bars: now.timeline.bars ?? [], lanes: now.timeline.lanes ?? [] }, true);
  }

  #renderActs() {
    const result = this.desk.results.get(this.drill.id);
    const { run } = this.desk;
    // What an earlier run came to makes room for the one that is watched.
    const earlier = result && run && underWay(run) && run.wanted.includes(this.drill.id) && run.run !== result.run;
    show(this.acts, Boolean(result) && !earlier);
    // The checked ones of a result have them all.
    show(this.promises, !result || Boolean(earlier) || !result.ended.acts.some((act) => act.promises));
    if (!result) return;
    if (!result.whole) void this.desk.complete(this.drill.id);
    const drawn = JSON.stringify([result.run, result.ended.acts.length, result.whole, result.lost]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const rule = this.desk.breaks.find(({ name }) => name === result.broken);
    const of = { broken: result.broken && (rule?.rule ?? result.broken), lost: result.lost ?? false, focus: this.drill.promises };
    this.acts.replaceChildren(
      ...result.ended.acts.map((act) => actView(act, of)),
      ...(result.lost ? [h('p', { class: 'drill-note', text: TROUBLE.lost })] : []),
      ...(result.ended.skipped ?? []).map((text) => h('p', { class: 'drill-note', text: `Not played here: ${text}` })));
  }

  #breaks() {
    const { breaks } = this.desk;
    if (breaks.length === 0 || !this.drill.playable) return null;
    const name = `break-${this.drill.id}`;
    // The one that this drill is about comes first.
    const choices = [...breaks].sort((a, b) => Number(b.drill === this.drill.id) - Number(a.drill === this.drill.id)).map((rule, index) => {
      const radio = h('input', { attributes: { type: 'radio', name, value: rule.name, id: `${name}-${index}` } });
      radio.checked = index === 0;
      const shownBy = rule.drill === this.drill.id ? 'This drill shows it.' : this.#shownBy(rule.drill);
      return h('div', { class: 'break' }, radio, h('label', { attributes: { for: radio.id } }, h('strong', { text: `Rule: ${rule.rule}` }), ` Without it: ${rule.what.charAt(0).toLowerCase()}${rule.what.slice(1)} `, h('span', { class: 'break-by', text: shownBy })));
    });
    const details = h('details', { class: 'technical breaks' }, h('summary', { text: 'Play it with a safety rule removed' }),
      h('p', { class: 'drill-note', text: 'A check that cannot fail proves nothing. Take a rule away, play the drill again, and see what the rule is for. Only the copy of the service that the drill starts is changed.' }),
      h('fieldset', {}, h('legend', { text: 'Which rule is taken away?' }), ...choices),
      button('Play without this rule', () => {
        const chosen = /** @type {HTMLInputElement|null} */ (details.querySelector('input:checked'));
        if (chosen) void this.desk.play([this.drill.id], chosen.value);
      }, 'quiet'));
    return details;
  }

  /** @param {string} id */
  #shownBy(id) {
    const drill = this.desk.drills.find((candidate) => candidate.id === id);
    return drill ? `Drill ${drill.id} shows it best.` : '';
  }
}
