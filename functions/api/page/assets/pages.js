// Cuts a text into its pages. Positions are in bytes of UTF-8, as the service
// counts them.

/** @typedef {{number: number|null, text: string}} Page number: null for what begins no page */

/**
 * @param {string} text a part of a document
 * @param {number} from where the part begins in the whole text
 * @param {number[]} starts where the pages of the whole text begin, in order
 * @returns {Page[]}
 */
export function splitPages(text, from, starts) {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  const end = from + bytes.length;
  const cuts = starts.map((start, index) => ({ start, number: index + 1 })).filter(({ start }) => start >= from && start < end);
  if (cuts.length === 0) return [{ number: null, text }];
  /** @type {Page[]} */
  const pages = cuts.map(({ start, number }, index) => ({
    number, text: decoder.decode(bytes.subarray(start - from, (cuts[index + 1]?.start ?? end) - from)),
  }));
  // What is left of the page that the part before has begun.
  if (cuts[0].start > from) pages.unshift({ number: null, text: decoder.decode(bytes.subarray(0, cuts[0].start - from)) });
  return pages;
}
