// Idempotency keys and jitter. Keys come from the browser's cryptographic
// source: two people whose keys collide would be told apart by the server, but
// one person's two questions would not.

/**
 * A version 4 UUID. `randomUUID` exists in secure contexts only; a page served
 * over plain http from a LAN address has `getRandomValues` alone.
 * @param {Crypto} [source]
 * @returns {string}
 */
export function newKey(source = globalThis.crypto) {
  if (typeof source.randomUUID === 'function') return source.randomUUID();
  const bytes = source.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/**
 * A number in [0, 1).
 * @param {Crypto} [source]
 * @returns {number}
 */
export function randomFraction(source = globalThis.crypto) {
  return source.getRandomValues(new Uint32Array(1))[0] / 2 ** 32;
}
