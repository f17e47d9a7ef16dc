// Who is signed in, shared by all tabs of this stage. The token is read for
// display and to keep people's items apart; only the server decides by it.

/** @typedef {import('./types.js').Session} Session */

/**
 * The readable part of a JWT. Nothing is verified here.
 * @param {string} token
 * @returns {Record<string, any>}
 */
export function claimsOf(token) {
  try {
    const part = token.split('.')[1].replace(/-/g, '+').replace(/_/g, '/');
    const bytes = Uint8Array.from(atob(part), (char) => char.charCodeAt(0));
    const claims = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === 'object' && claims !== null ? claims : {};
  } catch {
    return {}; // an opaque token
  }
}

/**
 * The storage prefix of one person in one workspace of one stage. Parts are
 * escaped, so that no two of them can meet: "a/b" in "c" is not "a" in "b/c".
 * @param {string} base
 * @param {Session} session
 * @returns {string}
 */
export function scopeOf(base, session) {
  const parts = [new URL(base).pathname, session.issuer, session.workspace, session.user];
  return `replyonce/${parts.map(encodeURIComponent).join('/')}/`;
}

export class SessionStore {
  /**
   * @param {import('./storage.js').LayeredStorage} storage
   * @param {string} base
   */
  constructor(storage, base) {
    this.storage = storage;
    this.key = `replyonce/${encodeURIComponent(new URL(base).pathname)}/session`;
  }

  /** @returns {Session|null} */
  read() {
    try {
      const value = JSON.parse(this.storage.get(this.key) ?? 'null');
      return typeof value?.token === 'string' && typeof value.user === 'string' ? value : null;
    } catch {
      return null;
    }
  }

  /** @param {Session} session */
  write(session) {
    this.storage.set(this.key, JSON.stringify(session));
  }

  clear() {
    this.storage.remove(this.key);
  }
}
