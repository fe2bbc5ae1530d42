import { randomFillSync } from 'node:crypto';

/** Crockford's alphabet in lower case: no i, l, o or u to misread; its 32 characters take five random bits each. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * A new identifier such as `job_01jc…`: 9 characters of milliseconds since the epoch, then 16 random ones (80 bits). Ids of one
 * prefix sort by time of creation, so the newest are at the end of an index.
 */
export function createId(prefix: string, nowMs: number): string {
  return `${firstId(prefix, nowMs)}${randomText(16)}`;
}

/** The text that all ids of a prefix made from this millisecond on sort behind, and all earlier ones before. */
export function firstId(prefix: string, ms: number): string {
  let time = '';
  for (let rest = ms, digit = 0; digit < 9; digit++, rest = Math.floor(rest / 32)) {
    time = ALPHABET.charAt(rest % 32) + time;
  }
  return `${prefix}_${time}`;
}

/** `length` random characters of the same alphabet, five bits each. */
export function randomText(length: number): string {
  let text = '';
  while (text.length < length) text += ALPHABET.charAt(randomByte() & 31);
  return text;
}

/** Two random hex digits for each of `bytes`. */
export function randomHex(bytes: number): string {
  const at = take(bytes);
  return stock.toString('hex', at, at + bytes);
}

/** Random bytes in stock, each used once: to ask the system for every few of them costs twenty times as much. */
const stock = Buffer.alloc(4_096);
let used = stock.length;

function randomByte(): number {
  return stock[take(1)] ?? 0;
}

/** Returns where in the stock there are `bytes` that were not used yet. */
function take(bytes: number): number {
  if (used + bytes > stock.length) {
    randomFillSync(stock);
    used = 0;
  }
  used += bytes;
  return used - bytes;
}
