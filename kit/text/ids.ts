import { randomFillSync } from 'node:crypto';

/** Crockford's alphabet in lower case: no i, l, o or u to misread; its 32 characters take five random bits each. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Returns a new identifier such as `job_01jc…`: 9 characters of milliseconds since the epoch, then 16 random ones (80 bits). Ids of one
 * prefix sort by time of creation, so the newest are at the end of an index.
 */
export function createId(prefix: string, nowMs: number): string {
  return `${firstId(prefix, nowMs)}${randomText(16)}`;
}

/** Returns the text at which a millisecond begins among the ids of a prefix. Earlier ids sort before the text, and all others after it. */
export function firstId(prefix: string, ms: number): string {
  let time = '';
  for (let rest = ms, digit = 0; digit < 9; digit++, rest = Math.floor(rest / 32)) {
    time = ALPHABET.charAt(rest % 32) + time;
  }
  return `${prefix}_${time}`;
}

/** Returns `length` random characters of the alphabet, with five random bits each. */
export function randomText(length: number): string {
  let text = '';
  while (text.length < length) text += ALPHABET.charAt(randomByte() & 31);
  return text;
}

/** Returns `bytes` random bytes as hex digits. */
export function randomHex(bytes: number): string {
  const at = take(bytes);
  return stock.toString('hex', at, at + bytes);
}

/** Random bytes in stock; each is used once. To ask the system for a few bytes each time would cost twenty times as much. */
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
