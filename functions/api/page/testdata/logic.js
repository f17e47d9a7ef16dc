// Tests of the page's pure parts, run inside the browser by TestPageLogic. Each
// check compares values and reports where they differ; nothing is drawn.

import { buildCards } from '../assets/cards.js';
import { ConversationModel } from '../assets/model.js';
import { isOnline } from '../assets/network.js';
import { classifyFailure, idsInLocation, versionInLocation } from '../assets/outcome.js';
import { Outbox } from '../assets/outbox.js';
import { splitPages } from '../assets/pages.js';
import { newKey, randomFraction } from '../assets/random.js';
import { parseRetryAfter, resendDelay } from '../assets/retry.js';
import { parseRoute } from '../assets/router.js';
import { claimsOf, scopeOf } from '../assets/session.js';
import { Sha256, sha256Of } from '../assets/sha256.js';
import { freezeCurrentStep, newItem, resultOf } from '../assets/steps.js';
import { LayeredStorage } from '../assets/storage.js';
import { byteLength, formatElapsed, shorten } from '../assets/text.js';
import { askedVersion, choices, currentOf, listMark, versionFailure, versionNote } from '../assets/versions.js';
import { failureText, itemText, taskText } from '../assets/wording.js';

const failures = [];

/** @param {string} what @param {any} got @param {any} want */
function equal(what, got, want) {
  const [a, b] = [got, want].map((value) => JSON.stringify(value));
  if (a !== b) failures.push(`${what}: got ${a}, want ${b}`);
}

/** @param {object} [fields] */
function task(fields = {}) {
  return {
    id: '3', conversation: 'c', message: '1', status: 'pending', created_at: '2026-11-29T14:00:00.000Z', assignment_version: 0,
    attempts: 0, attempts_left: 4, calls: 0, calls_left: 8, on_unknown: 'retry',
    spend: { calls: 0, calls_known: 0, calls_unknown: 0, input_tokens: 0, output_tokens: 0, refused_answers: [] }, ...fields,
  };
}

function keys() {
  const plain = newKey({ getRandomValues: (array) => crypto.getRandomValues(array) });
  equal('key without randomUUID', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(plain), true);
  equal('1000 keys differ', new Set(Array.from({ length: 1000 }, () => newKey())).size, 1000);
  equal('fraction in range', Array.from({ length: 1000 }, () => randomFraction()).every((x) => x >= 0 && x < 1), true);
}

function retryTimes() {
  const now = Date.parse('2026-11-29T14:00:00Z');
  for (const [value, want] of [
    [null, null], ['7', 7000], ['0', 0], ['', null], ['abc', null], ['-5', null], ['1.5', null], ['7, 9', null],
    ['Sun, 29 Nov 2026 14:01:30 GMT', 90_000], ['Sun, 29 Nov 2026 13:00:00 GMT', null], ['999999999', 3_600_000],
  ]) equal(`Retry-After ${value}`, parseRetryAfter(value, now), want);
  for (let resend = 1; resend <= 6; resend++) {
    const longest = Math.min(30_000, 1000 * 2 ** resend);
    equal(`shortest delay ${resend}`, resendDelay(resend, null, 0), 1000);
    equal(`longest delay ${resend}`, resendDelay(resend, null, 1), longest);
    equal(`asked for ${resend}`, resendDelay(resend, 45_000, 0), 45_000);
  }
}

function outcomes() {
  for (const [status, code, want] of [
    [400, 'field_invalid', 'refused'], [401, 'unauthorized', 'unauthorized'], [403, undefined, 'refused'], [404, 'not_found', 'refused'],
    [408, undefined, 'unanswered'], [409, 'in_progress', 'unanswered'], [409, 'task_ended', 'refused'],
    [409, 'upload_incomplete', 'refused'], [409, 'upload_mismatch', 'refused'], [409, 'version_failed', 'refused'], [409, 'version_not_ready', 'unanswered'], [409, undefined, 'unanswered'], [410, 'gone', 'refused'],
    [413, undefined, 'refused'], [415, 'media_type_unsupported', 'refused'], [422, 'idempotency_key_reused', 'refused'],
    [429, undefined, 'unanswered'], [500, 'internal', 'unanswered'], [502, undefined, 'unanswered'], [503, 'store_unavailable', 'unanswered'],
    [504, undefined, 'unanswered'],
  ]) equal(`status ${status} ${code}`, classifyFailure(status, code ? { code } : null), want);
  const [c, t] = ['01JDZ000000000000000000002', '01JDZ000000000000000000009'];
  equal('task address', idsInLocation(`https://x/prod/v1/conversations/${c}/tasks/${t}`), { conversation: c, task: t });
  equal('document address', idsInLocation(`/v1/documents/${c}`), { document: c });
  equal('version addresses', [`/v1/documents/${c}/versions/12`, `/v1/documents/${c}`, '/versions/1x', undefined].map(versionInLocation), [12, undefined, undefined, undefined]);
  equal('no address', [idsInLocation(undefined), idsInLocation('javascript:alert(1)')], [{}, {}]);
}

function steps() {
  const item = newItem('ask', { text: 'Hi', title: 'T', documentText: 'D', history: [] }, 1);
  equal('three steps', item.steps.map(({ op }) => op), ['document', 'conversation', 'message']);
  equal('keys differ', new Set(item.steps.map(({ key }) => key)).size, 3);
  equal('only the first is written out', item.steps.map(({ body }) => body), ['{"title":"T","text":"D"}', null, null]);
  item.steps[0].result = resultOf('document', { id: 'd1', latest_version: 5 });
  item.at = 1;
  freezeCurrentStep(item);
  item.steps[1].result = resultOf('conversation', { id: 'c1' });
  item.at = 2;
  freezeCurrentStep(item);
  equal('message path', item.steps[2].path, 'v1/conversations/c1/messages');
  equal('the version is the first one, whatever came later', item.steps[2].body, '{"text":"Hi","document":"d1","version":1,"history":[]}');
  const file = newItem('add-version', { document: 'd1', file: { name: 'a.pdf', bytes: 3, sha256: 'ab', type: '' } }, 1);
  equal('a file takes three steps', file.steps.map(({ op }) => op), ['upload', 'put', 'complete']);
  equal('announced in full, before anything is sent', file.steps[0].body, '{"document":"d1","file_name":"a.pdf","bytes":3,"sha256":"ab"}');
  file.steps[0].result = resultOf('upload', { upload: { id: 'u1' } });
  file.at = 2;
  freezeCurrentStep(file);
  equal('completed without a key', [file.steps[2].path, file.steps[2].key], ['v1/uploads/u1/complete', '']);
  equal('a version is what its address says', resultOf('complete', { id: 'd1', latest_version: 7 }, '/v1/documents/d1/versions/5'), { document: 'd1', version: 5 });
  const frozen = item.steps[2].body;
  item.intent.text = 'changed';
  freezeCurrentStep(item);
  equal('a written body never changes', item.steps[2].body, frozen);
  equal('an answer of another shape proves nothing', [resultOf('message', { id: 't' }), resultOf('document', 7), resultOf('document', null)], [null, null, null]);
}

function merging() {
  const model = new ConversationModel('c');
  equal('first news', model.applyTask(task({ status: 'running', assignment_version: 2 })), true);
  equal('an older answer is no news', model.applyTask(task({ status: 'pending', assignment_version: 1 })), false);
  equal('the end is news', model.applyTask(task({ status: 'completed', assignment_version: 2 })), true);
  equal('an end stays', model.applyTask(task({ status: 'running', assignment_version: 3 })), false);
  equal('status', model.tasks.get('3').status, 'completed');

  const page = (ids, next) => ({ conversation: { id: 'c' }, messages: ids.map((id) => ({ id, text: id, version: 1, history: [] })), tasks: [], next });
  const pages = new ConversationModel('c');
  pages.applyNewest(page(['5', '6'], '5'));
  pages.applyOlder(page(['3', '4'], null));
  pages.applyNewest(page(['6', '7'], '6'));
  equal('pages join', [pages.inOrder().map(({ id }) => id), pages.older], [['3', '4', '5', '6', '7'], null]);
  pages.applyNewest(page(['20', '21'], '20'));
  equal('a hole starts over', [pages.inOrder().map(({ id }) => id), pages.older], [['20', '21'], '20']);

  const many = new ConversationModel('c');
  many.applyNewest(page(['01', '02', '03'], null));
  for (const [id, message, status] of [['11', '01', 'completed'], ['12', '02', 'failed'], ['13', '03', 'completed'], ['14', '01', 'completed']]) {
    many.applyTask(task({ id, message, status }));
  }
  equal('history', [many.history(8), many.history(1), many.history(0)], [['14', '13'], ['13'], []]);
}

function cards() {
  const circumstances = { online: true, signedIn: true, now: 0 };
  const none = { messages: new Set(), clockOffset: 0 };
  const model = new ConversationModel('c');
  model.applyMessage({ id: '1', text: 'Q', document: 'd', version: 1, history: [], created_at: '2026-11-29T14:00:00.000Z' });
  for (const [id, status] of [['3', 'failed'], ['4', 'completed'], ['5', 'running']]) model.applyTask(task({ id, status, assignment_version: 1, attempts: 1, failure: { reason: 'deadline' } }));
  const [card, ...more] = buildCards(model, [], circumstances, none);
  equal('three tasks, one card', more.length, 0);
  equal('the newest task speaks', [card.state.name, card.actions, card.replies.length], ['working', ['stop'], 1]);

  const createdAt = Date.parse('2026-11-29T14:00:00.000Z');
  const item = newItem('ask', { text: 'Q', document: 'd', version: 1, conversation: 'c', history: [] }, createdAt);
  const shown = (settled) => buildCards(model, [{ item, outcome: null }], circumstances, settled).length;
  equal('never sent: a card of its own', shown(none), 2);
  item.attempted = true;
  equal('arrived: shown once', shown(none), 1);
  equal('the message is another item’s', shown({ messages: new Set(['1']), clockOffset: 0 }), 2);
  equal('the message is older than the press of Send', shown({ messages: new Set(), clockOffset: 60_000 }), 2);
}

function outbox() {
  const storage = new LayeredStorage(null, null);
  const box = new Outbox(storage, 'test/');
  const item = newItem('ask', { text: 'Q', conversation: 'c', document: 'd', version: 1 }, 1);
  box.create(item);
  const raw = storage.get(`test/item/${item.id}`);
  box.finish(item.id, { state: 'done', at: 2, result: { message: 'm', task: 't' } });
  equal('a finished item is not open', box.open().length, 0);
  equal('nor can it be changed', box.change(item.id, () => {}), null);
  storage.set(`test/item/${item.id}`, raw);
  equal('nor brought back by a late write', [box.open().length, box.visible().length, box.change(item.id, () => {})], [0, 0, null]);
  box.finish(item.id, { state: 'refused', at: 3, refusal: { status: 422, code: '', detail: '', location: '', op: 'message' } });
  equal('a saved task beats a refusal', box.read(item.id).outcome.state, 'done');
  equal('settled messages', [...box.settledMessages()], ['m']);
  storage.set('test/item/broken', '{"id":');
  storage.set('test/item/foreign', '{"id":"x"}');
  equal('what is not ours is not there', box.open().length, 0);
  box.purge(2 + 3 * 24 * 3600 * 1000);
  equal('outcomes are purged late', [...box.settledMessages()], []);
  box.close();
}

// FIPS 180-4's examples, and every length around the edges of a block against the
// browser's own.
async function hashes() {
  const ascii = (text) => new TextEncoder().encode(text);
  const own = (...parts) => {
    const hash = new Sha256();
    for (const part of parts) hash.update(part);
    return hash.hex();
  };
  equal('SHA-256 of nothing', own(), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  equal('SHA-256 of abc', own(ascii('abc')), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  equal('SHA-256 of two blocks', own(ascii('abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq')), '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1');
  equal('SHA-256 of a million a', own(...Array.from({ length: 1000 }, () => ascii('a'.repeat(1000)))), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0');
  const bytes = crypto.getRandomValues(new Uint8Array(300));
  for (let length = 0; length <= bytes.length; length++) {
    const part = bytes.subarray(0, length);
    const cut = Math.floor(length / 3);
    const want = await sha256Of(new Blob([part]), () => {});
    equal(`SHA-256 of ${length} bytes`, [own(part), own(part.subarray(0, cut), part.subarray(cut))], [want, want]);
  }
  const steps = [];
  const big = new Blob([new Uint8Array(2_500_000)]);
  equal('in pieces', await sha256Of(big, (fraction) => steps.push(fraction), null), await sha256Of(big, () => {}));
  equal('tells how far it is', [steps.length, steps.at(-1)], [3, 1]);
}

function versions(reasons) {
  for (const reason of reasons) {
    if (versionFailure(reason)[0] === versionFailure('of another release')[0]) failures.push(`no words for ${reason}`);
  }
  const info = (...states) => ({
    id: 'd', title: 'T', latest_version: states.length, current_version: states.lastIndexOf('ready') + 1,
    versions: states.map((state, index) => ({ version: index + 1, state, bytes: 1, sha256: '', created_at: '' })),
  });
  for (const [states, chosen, want, note] of [
    [['ready'], undefined, 1, ''],
    [['ready', 'indexing'], undefined, 1, 'Version 2 is being read. You are asking about version 1.'],
    [['ready', 'indexing'], 2, 2, 'Version 2 is being read; your question waits for it.'],
    [['ready', 'failed'], 2, 1, 'Version 2 cannot be used: it could not be read. You are asking about version 1.'],
    [['ready', 'ready'], 1, 1, 'You are asking about version 1. The newest is version 2.'],
    [['failed', 'indexing'], undefined, 2, 'Version 2 is being read; your question waits for it.'],
    [['ready', 'indexing', 'ready'], undefined, 3, ''],
    [['failed'], 1, null, 'Version 1 cannot be used: it could not be read. Add it again, or in another format.'],
  ]) {
    const asked = askedVersion(info(...states), chosen);
    equal(`asked of ${states} when ${chosen} was chosen`, [asked, versionNote(info(...states), asked).text], [want, note]);
  }
  equal('offered', choices(info('ready', 'failed', 'indexing', 'ready'), 4).map(({ version }) => version), [4, 1]);
  equal('offered while it is asked about', choices(info('ready', 'indexing'), 2).map(({ label }) => label), ['Version 2, being read', 'Version 1']);
  const old = { id: 'd', title: 'T', latest_version: 3 };
  equal('a service that knows no states', [askedVersion(old, undefined), currentOf(old), choices(old, 3).length, listMark(old)], [3, 3, 3, 'v3']);
}

function sessions() {
  const person = { token: '', issuer: 'i', label: '' };
  const scopes = [['b', 'a/c'], ['a/b', 'c'], ['b%2Fa', 'c'], ['b', 'a%2Fc']].map(([user, workspace]) => scopeOf('https://x/prod/', { ...person, user, workspace }));
  equal('scopes never meet', new Set(scopes).size, 4);
  equal('stages are apart', scopeOf('https://x/dev/', { ...person, user: 'b', workspace: 'a/c' }) === scopes[0], false);
  equal('claims in UTF-8', claimsOf(`h.${btoa('{"name":"Zo\u00c3\u00ab"}')}.s`), { name: 'Zoë' });
  equal('an opaque token has none', [claimsOf('opaque'), claimsOf('a.b.c'), claimsOf('')], [{}, {}, {}]);
}

function words(reasons) {
  for (const reason of reasons) {
    const [what, advice] = failureText(reason);
    if (!what || !advice || advice.includes(`“${reason}”`)) failures.push(`no words for ${reason}`);
  }
  equal('an unknown reason is named', failureText('new_reason')[1].includes('new_reason'), true);
  for (const [fields, headline] of [
    [{ status: 'running', attempts: 1 }, 'Working on your reply.'],
    [{ status: 'running', attempts: 2, previous_attempt: 'worker_lost' }, 'Second attempt: the first worker stopped answering.'],
    [{ status: 'running', attempts: 3, previous_attempt: 'worker_lost' }, 'Third attempt: the last worker stopped answering.'],
    [{ status: 'running', attempts: 2, previous_attempt: 'unknown' }, 'Second attempt: nobody saw how the first one ended.'],
    [{ status: 'running', attempts: 1, previous_attempt: 'rejected' }, 'Trying again: the provider was busy and turned the question away.'],
    [{ status: 'pending', waiting_for: { version: 3 } }, 'Version 3 is being read; your question waits for it.'],
    [{ status: 'pending', previous_attempt: 'rejected' }, 'The provider is busy. The next try comes by itself.'],
    [{ status: 'surprising' }, 'In a state that this page does not know.'],
  ]) equal(JSON.stringify(fields), taskText(task(fields)).headline, headline);
  const item = newItem('regenerate', { conversation: 'c', message: 'm' }, 0);
  const at = (fields, circumstances) => itemText({ ...item, ...fields }, null, { online: true, signedIn: true, now: 5, ...circumstances }).name;
  equal('states of an item', [at({}), at({ tries: 1 }), at({}, { online: false }), at({}, { signedIn: false }), at({ state: 'unknown' }, { online: false })],
    ['sending', 'resending', 'offline', 'signed-out', 'unknown']);
}

function texts() {
  for (const [text, from, starts, want] of [
    ['plain', 0, [], [[null, 'plain']]],
    ['aé漢👍z', 0, [0, 3, 6], [[1, 'aé'], [2, '漢'], [3, '👍z']]], // 1, 2, 3 and 4 bytes
    ['漢👍z', 3, [0, 3, 6, 99], [[2, '漢'], [3, '👍z']]],
    ['👍z', 6, [0, 3, 10], [[null, '👍'], [3, 'z']]],
    ['title\none', 0, [6], [[null, 'title\n'], [1, 'one']]],
    ['', 0, [0], [[null, '']]],
  ]) equal(`pages of ${text} from ${from}`, splitPages(text, from, starts).map(({ number, text: part }) => [number, part]), want);
  equal('bytes', [byteLength('a'), byteLength('é'), byteLength('漢'), byteLength('👍🏽')], [1, 2, 3, 8]);
  equal('no emoji is halved', shorten('👍🏽👍🏽👍🏽👍🏽', 3), '👍🏽👍🏽…');
  equal('short stays', shorten(' a  b\nc ', 10), 'a b c');
  equal('elapsed', [4999, 59_999, 61_000, 3_720_000].map(formatElapsed), ['4 s', '59 s', '1 min 01 s', '1 h 02 min']);
  equal('online', [['127.0.0.1', false], ['localhost', false], ['[::1]', false], ['a.localhost', false], ['192.168.0.20', false], ['127.example', false], ['example.org', true]]
    .map(([host, says]) => isOnline(host, says)), [true, true, true, true, false, false, true]);
  equal('routes', ['', '#/', '#/c/01J', '#/d/01J', '#/new/a-b', '#/c/', '#/x/1', '#/c/../x'].map((hash) => parseRoute(hash).name),
    ['home', 'home', 'conversation', 'document', 'new', 'home', 'home', 'home']);
}

/**
 * @param {string[]} reasons every failure reason of the contract
 * @param {string[]} unreadable every reason why a file cannot be read
 * @returns {Promise<string[]>} what went wrong
 */
export async function run(reasons, unreadable) {
  for (const part of [keys, retryTimes, outcomes, steps, merging, cards, outbox, hashes, () => versions(unreadable), sessions, () => words(reasons), texts]) {
    try {
      await part();
    } catch (error) {
      failures.push(`${part.name}: ${error.stack}`);
    }
  }
  return failures;
}
