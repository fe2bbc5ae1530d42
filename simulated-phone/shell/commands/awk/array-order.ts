import type { Steps } from './steps.js';
import type { Turns } from './turns.js';

/** The first size of one-true-awk's table, and how the table grows. */
const FIRST_SIZE = 50;
const GROWTH = 4;
const MAX_PER_PLACE = 2;

/** The number of keys between two looks at the time. */
const KEYS_PER_LOOK = 1_024;

/**
 * Returns keys in the order in which one-true-awk loops over them: the order of its hash table. That order depends on the order in which
 * the keys were added. Scripts should not rely on this order, but those that do print the same as on phones.
 */
export function* inLoopOrder(added: Iterable<string>, turns: Turns): Steps<string[]> {
  let places = emptyPlaces(FIRST_SIZE);
  let count = 0;
  for (const key of [...added]) {
    if (++count % KEYS_PER_LOOK === 0 && turns.isOver()) yield* turns.give();
    if (count > MAX_PER_PLACE * places.length) {
      const grown = emptyPlaces(places.length * GROWTH);
      for (const [at, place] of places.entries()) {
        if (at % KEYS_PER_LOOK === 0 && turns.isOver()) yield* turns.give();
        for (const kept of place.reverse()) add(kept, grown);
      }
      places = grown;
    }
    add(key, places);
  }
  return places.flatMap((place) => place.reverse());
}

function emptyPlaces(size: number): string[][] {
  return Array.from({ length: size }, () => []);
}

/** Adds a key. Awk's table adds a key at the front of its place. This function adds it at the end, so each place is in reverse order. */
function add(key: string, places: readonly string[][]): void {
  places[hash(key) % places.length]?.push(key);
}

function hash(key: string): number {
  let value = 0;
  for (let at = 0; at < key.length; at++) {
    const code = key.charCodeAt(at);
    if (code > 0x7f) return hashOfBytes(Buffer.from(key));
    value = (code + Math.imul(31, value)) >>> 0;
  }
  return value;
}

function hashOfBytes(bytes: Buffer): number {
  return bytes.reduce((value, byte) => (byte + Math.imul(31, value)) >>> 0, 0);
}
