// Helpers for building and updating the page. Text goes in as text, always:
// there is no way through here for markup from a document, a question or a reply.

/**
 * @param {string} id
 * @returns {any} the element; its absence is a broken index.html
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`no element #${id}`);
  return element;
}

/**
 * @typedef {object} Props
 * @property {string} [class]
 * @property {string} [text]
 * @property {Record<string, string>} [attributes]
 * @property {(event: Event) => void} [onclick]
 */

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Props} [props]
 * @param {...(Node|string|null)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  if (props.class) element.className = props.class;
  if (props.text !== undefined) element.textContent = props.text;
  for (const [name, value] of Object.entries(props.attributes ?? {})) element.setAttribute(name, value);
  if (props.onclick) element.addEventListener('click', props.onclick);
  element.append(...children.filter((child) => child !== null));
  return element;
}

/**
 * Sets text only when it differs, so that selections and screen readers are
 * left alone by updates that change nothing.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @param {HTMLElement} element @param {boolean} shown */
export function show(element, shown) {
  if (element.hidden === shown) element.hidden = !shown;
}

/**
 * A text button.
 * @param {string} text
 * @param {(event: Event) => void} onclick
 * @param {string} [className]
 */
export function button(text, onclick, className = 'quiet small') {
  return h('button', { class: className, text, attributes: { type: 'button' }, onclick });
}

const SVG = 'http://www.w3.org/2000/svg';

/**
 * The state mark of a card. Its shape is drawn by the style sheet from the
 * card's `data-state`, and it is hidden from assistive technology: the words
 * next to it say the same.
 */
export function stateMark() {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', 'mark');
  svg.setAttribute('aria-hidden', 'true');
  /** @param {string} tag @param {string} className @param {Record<string, string>} attributes */
  const add = (tag, className, attributes) => {
    const shape = document.createElementNS(SVG, tag);
    shape.setAttribute('class', className);
    for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, value);
    svg.append(shape);
  };
  add('circle', 'mark-ring', { cx: '12', cy: '12', r: '8.5' });
  add('circle', 'mark-dot', { cx: '12', cy: '12', r: '3.6' });
  add('path', 'mark-arc', { d: 'M12 3.5a8.5 8.5 0 0 1 8.5 8.5' });
  add('rect', 'mark-square', { x: '9', y: '9', width: '6', height: '6', rx: '1' });
  add('path', 'mark-cross', { d: 'M9.2 9.2l5.6 5.6M14.8 9.2l-5.6 5.6' });
  add('path', 'mark-query', { d: 'M9.8 10.1a2.3 2.3 0 1 1 3.2 2.1c-.7.3-1 .7-1 1.4M12 16.3v.1' });
  return svg;
}

/**
 * Keeps the children of `parent` in the order of `wanted`, moving as little as
 * possible: an element that is moved loses its focus.
 * @param {HTMLElement} parent
 * @param {HTMLElement[]} wanted
 */
export function arrange(parent, wanted) {
  const keep = new Set(wanted);
  for (const child of [...parent.children]) {
    if (!keep.has(/** @type {HTMLElement} */ (child))) child.remove();
  }
  wanted.forEach((element, index) => {
    if (parent.children[index] !== element) parent.insertBefore(element, parent.children[index] ?? null);
  });
}
