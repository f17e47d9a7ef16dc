// SHA-256 of files (FIPS 180-4). Browsers have it in secure contexts only; a page
// served over plain http from a LAN address computes it itself, piece by piece, so
// that the page stays alive and can tell how far it is.

const PIECE = 1 << 20;
const BLOCK = 64;

/** The fractional parts of the cube roots of the first 64 primes. */
const K = Uint32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));
/** Of the square roots of the first eight. */
const START = Uint32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));

/** @param {number} count @returns {number[]} */
function primes(count) {
  /** @type {number[]} */
  const found = [];
  for (let n = 2; found.length < count; n++) {
    if (found.every((prime) => n % prime !== 0)) found.push(n);
  }
  return found;
}

/** The first 32 bits after the point. @param {number} x */
function fraction(x) {
  return Math.floor((x - Math.floor(x)) * 2 ** 32);
}

export class Sha256 {
  constructor() {
    this.state = START.slice();
    this.words = new Uint32Array(64);
    /** What does not fill a block yet. */
    this.rest = new Uint8Array(BLOCK);
    this.length = 0;
  }

  /** @param {Uint8Array} bytes */
  update(bytes) {
    let at = 0;
    const pending = this.length % BLOCK;
    this.length += bytes.length;
    if (pending > 0) {
      at = Math.min(BLOCK - pending, bytes.length);
      this.rest.set(bytes.subarray(0, at), pending);
      if (pending + at < BLOCK) return;
      this.#block(this.rest, 0);
    }
    for (; at + BLOCK <= bytes.length; at += BLOCK) this.#block(bytes, at);
    this.rest.set(bytes.subarray(at), 0);
  }

  /** @returns {string} lower-case hexadecimal digits; nothing can be added after it */
  hex() {
    const { length } = this;
    // A one bit, zeros, and the length in bits: 64 bits at the end of a block.
    const padding = new Uint8Array((length % BLOCK < BLOCK - 8 ? BLOCK : 2 * BLOCK) - (length % BLOCK));
    padding[0] = 0x80;
    const view = new DataView(padding.buffer);
    view.setUint32(padding.length - 8, Math.floor(length / 2 ** 29));
    view.setUint32(padding.length - 4, (length << 3) >>> 0);
    this.update(padding);
    return Array.from(this.state, (word) => word.toString(16).padStart(8, '0')).join('');
  }

  /** @param {Uint8Array} bytes @param {number} at */
  #block(bytes, at) {
    const w = this.words;
    for (let i = 0; i < 16; i++, at += 4) w[i] = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
    for (let i = 16; i < 64; i++) {
      const x = w[i - 15];
      const y = w[i - 2];
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[i] = (w[i - 16] + s0 + w[i - 7] + s1) | 0;
    }
    let [a, b, c, d, e, f, g, h] = this.state;
    for (let i = 0; i < 64; i++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g; g = f; f = e; e = (d + t1) | 0; d = c; c = b; b = a; a = (t1 + t2) | 0;
    }
    const { state } = this;
    state[0] += a; state[1] += b; state[2] += c; state[3] += d; state[4] += e; state[5] += f; state[6] += g; state[7] += h;
  }
}

/**
 * @param {Blob} file
 * @param {(fraction: number) => void} onProgress
 * @param {SubtleCrypto|undefined} [subtle] undefined where the browser has none
 * @returns {Promise<string>} lower-case hexadecimal digits; throws when the file cannot be read
 */
export async function sha256Of(file, onProgress, subtle = globalThis.crypto.subtle) {
  if (subtle) {
    const digest = await subtle.digest('SHA-256', await file.arrayBuffer());
    return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
  const hash = new Sha256();
  for (let at = 0; at < file.size; at += PIECE) {
    // Reading a piece leaves the thread, so that the page is drawn in between.
    hash.update(new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer()));
    onProgress(Math.min(1, (at + PIECE) / file.size));
  }
  return hash.hex();
}
