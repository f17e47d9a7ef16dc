// The two ways to sign in: by name on one machine, or at the organisation's
// identity provider.

import { button, h } from './dom.js';
import { SignInError } from './oidc.js';

/**
 * @typedef {import('./types.js').Session} Session
 */

/**
 * Draws a sign-in form.
 * @param {HTMLElement} container
 * @param {object} options
 * @param {import('./oidc.js').OidcSignIn|null} options.provider null: by name
 * @param {string} options.base
 * @param {{user: string, workspace: string}} options.known who was here last
 * @param {(session: Session) => void} options.onSession
 * @param {string} [options.message] why the last try failed
 */
export function drawSignIn(container, { provider, base, known, onSession, message = '' }) {
  const error = h('p', { class: 'field-error', text: message, attributes: { role: 'alert' } });
  if (provider) {
    const go = button('Sign in', async () => {
      error.textContent = '';
      try {
        await provider.begin(location.hash);
      } catch (reason) {
        error.textContent = reason instanceof SignInError ? reason.message : 'Signing in could not be started. Please try again.';
      }
    }, 'primary wide');
    container.replaceChildren(h('p', { class: 'gate-note', text: 'You sign in at your organisation’s own page and come back here.' }), error, go);
    return;
  }
  container.replaceChildren(nameForm(base, known, onSession, error));
}

let counter = 0;

/**
 * @param {string} base
 * @param {{user: string, workspace: string}} known
 * @param {(session: Session) => void} onSession
 * @param {HTMLElement} error
 */
function nameForm(base, known, onSession, error) {
  counter += 1;
  const user = input(`user-${counter}`, known.user, 'username');
  const workspace = input(`workspace-${counter}`, known.workspace, 'organization');
  const submit = h('button', { class: 'primary wide', text: 'Sign in', attributes: { type: 'submit' } });
  const form = h('form', { class: 'sign-in-form' },
    field('Your name', user), field('Workspace', workspace),
    h('p', { class: 'gate-note', text: 'This is a one-machine installation: a name is enough. People in one workspace share its documents.' }),
    error, submit);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    error.textContent = '';
    const who = { user: user.value.trim(), workspace: workspace.value.trim() };
    const empty = who.user === '' ? user : who.workspace === '' ? workspace : null;
    if (empty) {
      error.textContent = 'Please fill in both fields.';
      empty.focus();
      return;
    }
    submit.disabled = true;
    try {
      onSession(await signInByName(base, who));
    } catch (reason) {
      error.textContent = reason instanceof SignInError ? reason.message : 'The service could not be reached. Please try again.';
    } finally {
      submit.disabled = false;
    }
  });
  return form;
}

/** @param {string} id @param {string} value @param {AutoFill} autocomplete */
function input(id, value, autocomplete) {
  const element = h('input', { attributes: { id, type: 'text', maxlength: '100', spellcheck: 'false', autocapitalize: 'none', dir: 'auto', autocomplete } });
  element.value = value;
  return element;
}

/** @param {string} label @param {HTMLInputElement} element */
function field(label, element) {
  return h('div', { class: 'field' }, h('label', { text: label, attributes: { for: element.id } }), element);
}

/**
 * @param {string} base
 * @param {{user: string, workspace: string}} who
 * @returns {Promise<Session>}
 */
async function signInByName(base, who) {
  const response = await fetch(new URL('local/sign-in', base), {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(who), credentials: 'omit',
  });
  const body = await response.json();
  if (!response.ok) throw new SignInError(body.detail ?? body.title ?? 'The sign-in was refused.');
  return { token: body.token, ...who, issuer: 'local', label: who.user };
}
