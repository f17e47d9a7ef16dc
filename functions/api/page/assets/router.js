// The part of the address after "#/". It needs nothing from the server, so it
// works below any stage prefix.

/**
 * @typedef {{name: 'home'}|{name: 'document', id: string}|{name: 'conversation', id: string}|{name: 'new', id: string}|{name: 'drills', id: string}} Route
 */

/**
 * @param {string} hash
 * @returns {Route}
 */
export function parseRoute(hash) {
  const drills = /^#\/drills(?:\/(D\d{2,3}))?$/.exec(hash);
  if (drills) return { name: 'drills', id: drills[1] ?? '' };
  const match = /^#\/(c|d|new)\/([A-Za-z0-9-]{1,64})$/.exec(hash);
  if (!match) return { name: 'home' };
  const name = /** @type {const} */ ({ c: 'conversation', d: 'document', new: 'new' })[match[1]];
  return /** @type {Route} */ ({ name, id: match[2] });
}
