import type { Timer } from '../../kit/clock.js';
import { type LocatedPhone, PhoneSession, type SessionParts } from './phone-session.js';

/** How often idle sessions are looked for, ms. */
const SWEEP_MS = 30_000;

/**
 * The kept sessions: one a phone, of its present generation. A phone that was started anew gets a new one, and connections to
 * the old are closed. Idle ones are closed, and the longest unused when there are too many.
 */
export class PhoneSessions {
  readonly #parts: SessionParts;
  /** In order of last use. */
  readonly #sessions = new Map<string, PhoneSession>();
  #sweep: Timer | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  of(phone: LocatedPhone): PhoneSession {
    let session = this.#sessions.get(phone.phoneId);
    this.#sessions.delete(phone.phoneId);
    if (session !== undefined && !leadsTo(session, phone)) {
      session.close();
      session = undefined;
    }
    session ??= new PhoneSession(phone, this.#parts);
    session.lastUsedMs = this.#parts.clock.monotonicMs();
    this.#sessions.set(phone.phoneId, session);
    this.#trim();
    this.#sweep ??= this.#parts.clock.after(SWEEP_MS, () => this.#closeIdle());
    return session;
  }

  get size(): number {
    return this.#sessions.size;
  }

  close(): void {
    this.#sweep?.cancel();
    for (const session of this.#sessions.values()) session.close();
    this.#sessions.clear();
  }

  #trim(): void {
    for (const [phoneId, session] of this.#sessions) {
      if (this.#sessions.size <= this.#parts.limits.maxPhones) return;
      if (!session.link.idle) continue;
      session.close();
      this.#sessions.delete(phoneId);
    }
  }

  #closeIdle(): void {
    this.#sweep = undefined;
    const sinceMs = this.#parts.clock.monotonicMs() - this.#parts.limits.idleMs;
    for (const [phoneId, session] of this.#sessions) {
      if (session.lastUsedMs > sinceMs || !session.link.idle) continue;
      session.close();
      this.#sessions.delete(phoneId);
    }
    if (this.#sessions.size > 0) this.#sweep = this.#parts.clock.after(SWEEP_MS, () => this.#closeIdle());
  }
}

function leadsTo(session: PhoneSession, phone: LocatedPhone): boolean {
  const { generation, identity, host, port } = session.phone;
  return generation === phone.generation && identity === phone.identity && host === phone.host && port === phone.port;
}
