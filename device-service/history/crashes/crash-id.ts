import { createHash } from 'node:crypto';
import { firstId } from '../../../kit/text/ids.js';
import type { CrashKindWord } from '../../store/crashes.js';

/** Crockford's alphabet in lower case, as all ids have it. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Characters of an id after its time. */
const DIGEST_CHARS = 16;

/** A process has one crash of each type in this time, by the phone's clock, ms. */
export const MINUTE_MS = 60_000;

/** The latest time that an id can have: 45 bits, ms since the epoch. */
const LATEST_MS = 2 ** 45 - 1;

/** One crash, as its reporter knows it. */
export interface CrashIdentity {
  phoneId: string;
  generation: number;
  kind: CrashKindWord;
  process: string;
  atMs: number;
}

/** Returns the id of a crash. It is made of what the log says of it, so that a crash that is reported again has the same id. */
export function crashId({ phoneId, generation, kind, process, atMs }: CrashIdentity): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([phoneId, generation, kind, process, atMs]))
    .digest();
  const text = [...digest.subarray(0, DIGEST_CHARS)].map((byte) => ALPHABET.charAt(byte & 31)).join('');
  return `${firstId('crs', validMs(atMs))}${text}`;
}

/** Returns the minute in which a process has one crash of a type. */
export function crashSlot({ phoneId, kind, process, atMs }: CrashIdentity): string {
  return `${phoneId} ${typeOf(kind)} ${Math.floor(atMs / MINUTE_MS)} ${process}`;
}

/** Returns ids between which all crashes are that are less than a minute before or after a time. */
export function idsAround(atMs: number): { afterId: string; beforeId: string } {
  return {
    afterId: firstId('crs', validMs(atMs - MINUTE_MS + 1)),
    beforeId: firstId('crs', validMs(atMs + MINUTE_MS)),
  };
}

/** Returns the id after which all crashes are that happened at this time or later. */
export function idFrom(atMs: number): string {
  return firstId('crs', validMs(atMs));
}

/** Returns the kinds that make the same type of event. */
export function kindsLike(kind: CrashKindWord): readonly CrashKindWord[] {
  return kind === 'anr' ? ['anr'] : ['java', 'native'];
}

/** The type of the event. */
export function typeOf(kind: CrashKindWord): 'app.crashed' | 'app.not_responding' {
  return kind === 'anr' ? 'app.not_responding' : 'app.crashed';
}

/** A phone's clock may be anywhere. */
function validMs(ms: number): number {
  return Math.min(LATEST_MS, Math.max(0, ms));
}
