// Starts the page and tells its parts what happens to it from outside: network,
// visibility, the back/forward cache.

import { byId, h, show } from './dom.js';
import { Gate } from './gate.js';
import { Shell } from './shell.js';
import { LayeredStorage, webStorage } from './storage.js';

// Everything is relative to the folder of the page, whatever stage it is in.
const base = new URL('./', location.href.split(/[?#]/)[0]).href;
const storage = new LayeredStorage(webStorage('localStorage'), webStorage('sessionStorage'));

/** Reads the settings, again and again if need be: nothing works without them. */
async function loadConfig() {
  for (let wait = 1000; ; wait = Math.min(wait * 2, 30_000)) {
    try {
      const response = await fetch(new URL('config.json', base), { cache: 'no-store', credentials: 'omit' });
      if (response.ok) return await response.json();
    } catch {
      // No network yet, or half an answer.
    }
    show(byId('gate'), true);
    byId('gate-form').replaceChildren(h('p', { class: 'gate-note', text: 'The service does not answer yet. Trying again by itself.' }));
    await new Promise((resolve) => { setTimeout(resolve, wait); });
  }
}

function connectDialogs() {
  for (const opener of document.querySelectorAll('[data-open]')) {
    opener.addEventListener('click', () => byId(/** @type {HTMLElement} */ (opener).dataset.open ?? '').showModal());
  }
  for (const opener of document.querySelectorAll('[data-open="about"]')) {
    opener.addEventListener('click', () => void import('./about_view.js').then(({ showProviders }) => showProviders(base)));
  }
  for (const closer of document.querySelectorAll('[data-close]')) {
    closer.addEventListener('click', () => closer.closest('dialog')?.close());
  }
}

/** @param {Shell} shell @param {Gate} gate */
function connectEvents(shell, gate) {
  globalThis.addEventListener('online', () => {
    shell.desk?.sender.hurry();
    shell.desk?.wake();
    shell.draw();
  });
  globalThis.addEventListener('offline', () => shell.draw());
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      shell.desk?.rest();
      return;
    }
    shell.desk?.attention.seen();
    shell.desk?.library.refresh();
    shell.desk?.wake();
    shell.desk?.sender.kick();
    shell.room?.refresh();
  });
  globalThis.addEventListener('pagehide', () => shell.desk?.sender.release());
  globalThis.addEventListener('pageshow', (event) => {
    if (!event.persisted) return;
    // Back from the back/forward cache: timers stood still and requests may be
    // lost, so the page asks about everything that it waits for.
    gate.sync();
    shell.desk?.sender.resume();
    shell.desk?.wake();
    shell.room?.refresh();
    shell.draw();
  });
}

async function start() {
  connectDialogs();
  const config = await loadConfig();
  const gate = new Gate({
    signIn: config.sign_in, base, storage,
    onEnter: (session) => shell.enter(session),
    onGoOn: (session) => shell.desk?.goOn(session),
    onLeave: () => shell.leave(),
  });
  const shell = new Shell({ config, base, storage, onExpired: () => gate.expired(), onSignIn: () => gate.ask() });
  connectEvents(shell, gate);
  await gate.open();
}

void start();
