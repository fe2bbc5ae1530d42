import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Call } from '../../kit/call/call.js';
import { readForeground } from '../display/foreground.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { unlessItFails } from './optional-work.js';

/** How long the response may wait for the rest of a crash that has begun, and for the id under which it is kept, ms. */
const MAX_WAIT_MS = 2_500;

/** An app that crashed under an act. */
export interface CrashUnder {
  /** The id under which the crash is kept. Undefined: it is not kept yet. */
  id: string | undefined;
  package: string;
  reason: string;
}

/** Finds out whether an app that is in front during an act crashes. It costs the act nothing unless one does. */
export class CrashesUnder {
  readonly #phoneSession: PhoneSession;
  readonly #sinceMs: number;
  /** The app in front before the first step; empty where it could not be read. */
  readonly #before: Promise<string>;

  /** `known`: the app in front, where the caller has seen it before. */
  constructor(call: Call, phoneSession: PhoneSession, known: string | undefined) {
    this.#phoneSession = phoneSession;
    this.#sinceMs = phoneSession.clock.monotonicMs();
    const isNeeded = phoneSession.crashes !== undefined && known === undefined;
    const reading = isNeeded ? unlessItFails(call, phoneSession, readForeground(call, phoneSession)) : undefined;
    this.#before = begunAhead(Promise.resolve(reading).then((front) => front?.app ?? known ?? ''));
  }

  /** Returns the crash of the app that was in front before the steps, or of one of `apps`, which were in front between them. */
  async find(apps: ReadonlySet<string>, endMs: number): Promise<CrashUnder | undefined> {
    const { crashes, clock } = this.#phoneSession;
    if (crashes?.hasNewsSince(this.#sinceMs) !== true) return undefined;
    const untilMs = Math.min(endMs, clock.monotonicMs() + MAX_WAIT_MS);
    const packages = new Set([...apps, await this.#within(this.#before, untilMs)].filter((name) => name !== undefined));
    const seen = await crashes.crashOf(packages, this.#sinceMs, untilMs);
    if (seen === undefined) return undefined;
    const { package: name, reason } = seen.found;
    return { id: await this.#within(seen.id, untilMs), package: name, reason };
  }

  async #within<T>(work: Promise<T>, untilMs: number): Promise<T | undefined> {
    const { clock } = this.#phoneSession;
    let end: () => void = () => undefined;
    const late = new Promise<undefined>((resolve) => (end = () => resolve(undefined)));
    const timer = clock.after(Math.max(0, untilMs - clock.monotonicMs()), end);
    try {
      return await Promise.race([work, late]);
    } finally {
      timer.cancel();
    }
  }
}
