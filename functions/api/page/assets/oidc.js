// Sign-in through an OpenID Connect provider: authorization code with PKCE
// (RFC 7636, S256), as a public client without a secret.

import { claimsOf } from './session.js';

/**
 * @typedef {object} OidcSettings
 * @property {string} authorization_endpoint
 * @property {string} token_endpoint
 * @property {string} client_id
 * @property {string} scope
 * @property {string} [end_session_endpoint]
 * @property {string} [workspace_claim]
 */

/** A sign-in that could not be finished; the message is meant for the person. */
export class SignInError extends Error {}

/** @param {Uint8Array} bytes */
function base64url(bytes) {
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

function randomText() {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

export class OidcSignIn {
  /**
   * @param {object} options
   * @param {OidcSettings} options.settings
   * @param {string} options.base
   * @param {Storage|null} options.tabStorage the attempt belongs to this tab
   */
  constructor({ settings, base, tabStorage }) {
    this.settings = settings;
    this.redirectUri = base;
    this.tabStorage = tabStorage;
    this.key = `replyonce/${encodeURIComponent(new URL(base).pathname)}/sign-in`;
  }

  /**
   * Sends the person to the provider.
   * @param {string} returnTo the part of the page to come back to
   */
  async begin(returnTo) {
    if (!crypto.subtle) throw new SignInError('Signing in needs a page served over https.');
    if (!this.tabStorage) throw new SignInError('Signing in needs storage, which this browser blocks for this site.');
    const attempt = { verifier: randomText(), state: randomText(), nonce: randomText(), returnTo };
    this.tabStorage.setItem(this.key, JSON.stringify(attempt));
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(attempt.verifier));
    const url = new URL(this.settings.authorization_endpoint);
    const parameters = {
      response_type: 'code',
      client_id: this.settings.client_id,
      redirect_uri: this.redirectUri,
      scope: this.settings.scope,
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: base64url(new Uint8Array(digest)),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    location.assign(url);
  }

  /**
   * Finishes a sign-in when the address carries the provider's answer.
   * @param {string} search
   * @returns {Promise<{session: import('./types.js').Session, returnTo: string}|null>}
   */
  async complete(search) {
    const answer = new URLSearchParams(search);
    if (!answer.has('state') || !(answer.has('code') || answer.has('error'))) return null;
    const attempt = this.#takeAttempt();
    // An answer that this tab did not ask for is somebody else's code.
    if (!attempt || attempt.state !== answer.get('state')) {
      throw new SignInError('This sign-in was started somewhere else. Please sign in again.');
    }
    if (answer.has('error')) {
      throw new SignInError(`The sign-in was not completed: ${answer.get('error_description') ?? answer.get('error')}`);
    }
    const token = await this.#exchange(answer.get('code') ?? '', attempt);
    return { session: token, returnTo: attempt.returnTo };
  }

  #takeAttempt() {
    try {
      const text = this.tabStorage?.getItem(this.key) ?? 'null';
      this.tabStorage?.removeItem(this.key);
      return JSON.parse(text);
    } catch {
      return null;
    }
  }

  /** @param {string} code @param {{verifier: string, nonce: string}} attempt */
  async #exchange(code, attempt) {
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.redirectUri,
      client_id: this.settings.client_id,
      code_verifier: attempt.verifier,
    });
    let tokens;
    try {
      const response = await fetch(this.settings.token_endpoint, { method: 'POST', body, credentials: 'omit' });
      tokens = await response.json();
      if (!response.ok) throw new SignInError(`The sign-in was refused: ${tokens.error_description ?? tokens.error}`);
    } catch (error) {
      if (error instanceof SignInError) throw error;
      throw new SignInError('The sign-in service could not be reached. Please try again.');
    }
    return this.#sessionFrom(tokens, attempt.nonce);
  }

  /** @param {any} tokens @param {string} nonce @returns {import('./types.js').Session} */
  #sessionFrom(tokens, nonce) {
    // The ID token is the one that every provider issues as a JWT for this
    // client. An access token may be opaque, or made for another audience.
    const token = tokens.id_token ?? tokens.access_token;
    if (typeof token !== 'string') throw new SignInError('The sign-in service sent no token.');
    const claims = claimsOf(token);
    if (tokens.id_token && claims.nonce !== nonce) throw new SignInError('The sign-in does not fit this tab. Please sign in again.');
    const user = String(claims.sub ?? '');
    return {
      token,
      user,
      // Unsent questions are kept apart by workspace, so it must be read from
      // the claim that the service itself reads.
      workspace: String(claims[this.settings.workspace_claim ?? 'workspace'] ?? ''),
      issuer: String(claims.iss ?? this.settings.authorization_endpoint),
      label: String(claims.name ?? claims.preferred_username ?? claims.email ?? user),
    };
  }

  /**
   * Ends the provider's own session as well, where it has an address for that.
   * @param {import('./types.js').Session} session
   * @returns {boolean} whether the page is about to leave
   */
  end(session) {
    if (!this.settings.end_session_endpoint) return false;
    const url = new URL(this.settings.end_session_endpoint);
    url.searchParams.set('client_id', this.settings.client_id);
    url.searchParams.set('id_token_hint', session.token);
    url.searchParams.set('post_logout_redirect_uri', this.redirectUri);
    url.searchParams.set('logout_uri', this.redirectUri); // Cognito's own name for it
    location.assign(url);
    return true;
  }
}
