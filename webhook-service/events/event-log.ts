import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Clock } from '../../kit/async/clock.js';
import type { Event } from '../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { EVENTS_KEPT_MS, MAX_EVENTS_OF_ACCOUNT } from '../limits.js';
import { type EventDocument, eventKey, type EventStore } from '../store/events.js';

/** How often an append is tried while other instances add first. If it fails this often, something else must be wrong. */
const APPEND_TRIES = 50;

/** Most events that one write adds, and most bytes of their payloads. A larger event is added alone. */
const MAX_BATCH_EVENTS = 200;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;

/** After this many new events of an account, its oldest events beyond the bound are removed. */
const TRIM_EVERY = 1_000;

/** Most expired events that a sweep reads at a time, of all accounts together, and how often it does. */
const MAX_SWEEP = 1_000;
const MAX_SWEEPS = 100;

export type LoggedEvent = Pick<Event, 'id' | 'type' | 'accountId' | 'device' | 'deviceCreatedBy' | 'payload'> &
  Partial<Pick<Event, 'deviceLabels'>>;

interface Waiting {
  event: LoggedEvent;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * The events of each account, in one order that never changes. An event gets the number after the last one. Its insert succeeds for only
 * one writer of that number (docs/adr/0056-event-log.md). So whoever has read up to a number has missed none before it. Events that arrive
 * while an account's log is being written are added together by the next write.
 */
export class EventLog {
  readonly #store: EventStore;
  readonly #clock: Clock;
  readonly #onAdded: (accountId: string) => void;
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #writing = new Map<string, Promise<void>>();

  /** `onAdded` is called when events of an account have been added here. */
  constructor(store: EventStore, clock: Clock, onAdded: (accountId: string) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onAdded = onAdded;
  }

  /**
   * Adds an event unless it is there. The event is durable when the promise resolves. Events of one caller are added in the order of the
   * calls.
   */
  add(event: LoggedEvent): Promise<void> {
    const { accountId } = event;
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(accountId) ?? [];
      this.#waiting.set(accountId, waiting);
      waiting.push({ event, resolve, reject });
      if (!this.#writing.has(accountId)) this.#writing.set(accountId, begunAhead(this.#writeAll(accountId)));
    });
  }

  /** Removes the events whose time is over, but for the last one of each account. May run in several instances at the same time. */
  async sweep(): Promise<void> {
    for (let sweeps = 1; sweeps <= MAX_SWEEPS; sweeps++) {
      const expired = await this.#store.findExpired(new Date(this.#clock.now()), MAX_SWEEP);
      const through = new Map<string, number>();
      for (const { accountId, seq } of expired) through.set(accountId, Math.max(seq, through.get(accountId) ?? 0));
      for (const [accountId, seq] of through) {
        const last = await this.#store.findLastSeq(accountId);
        if (seq >= last) await this.#store.keepLast(accountId, last);
        await this.#store.removeThrough(accountId, Math.min(seq, last - 1));
      }
      if (expired.length < MAX_SWEEP) return;
    }
  }

  /** Resolves when the events that were added are written. */
  async close(): Promise<void> {
    await Promise.all(this.#writing.values());
  }

  /** Never rejects: each event's caller gets its own outcome. */
  async #writeAll(accountId: string): Promise<void> {
    for (;;) {
      const waiting = this.#waiting.get(accountId) ?? [];
      if (waiting.length === 0) {
        this.#waiting.delete(accountId);
        this.#writing.delete(accountId);
        return;
      }
      const batch = waiting.splice(0, batchLength(waiting));
      try {
        await this.#append(
          accountId,
          batch.map(({ event }) => event),
        );
        for (const { resolve } of batch) resolve();
      } catch (error) {
        // Those behind it fail too, as a repeat of the batch would come after them.
        for (const { reject } of [...batch, ...waiting.splice(0)]) reject(error);
      }
    }
  }

  async #append(accountId: string, events: readonly LoggedEvent[]): Promise<void> {
    let rest = [...new Map(events.map((event) => [event.id, event])).values()];
    for (let tries = 0; tries < APPEND_TRIES && rest.length > 0; tries++) {
      const last = await this.#store.findLastSeq(accountId);
      if (await this.#store.insert(rest.map((event, index) => this.#document(event, last + 1 + index)))) {
        this.#onAdded(accountId);
        await this.#trim(accountId, last, last + rest.length);
        return;
      }
      const written = await this.#store.findWritten(
        accountId,
        rest.map(({ id }) => id),
      );
      rest = rest.filter(({ id }) => !written.has(id));
    }
    if (rest.length > 0) throw new Error(`could not add to the events of ${accountId}: others always did first`);
    this.#onAdded(accountId);
  }

  async #trim(accountId: string, before: number, last: number): Promise<void> {
    if (Math.floor(before / TRIM_EVERY) === Math.floor(last / TRIM_EVERY) || last <= MAX_EVENTS_OF_ACCOUNT) return;
    await this.#store.removeThrough(accountId, last - MAX_EVENTS_OF_ACCOUNT);
  }

  #document(
    { id, type, accountId, device, deviceCreatedBy, deviceLabels = [], payload }: LoggedEvent,
    seq: number,
  ): EventDocument {
    return {
      _id: eventKey(accountId, seq),
      ...{ accountId, seq, eventId: id, type, device, deviceCreatedBy, payload: Buffer.from(payload) },
      ...(deviceLabels.length > 0 && { deviceLabels }),
      expiresAt: new Date(this.#clock.now() + EVENTS_KEPT_MS),
    };
  }
}

function batchLength(waiting: readonly Waiting[]): number {
  let bytes = 0;
  const over = waiting.findIndex(({ event }) => (bytes += event.payload.length) > MAX_BATCH_BYTES);
  return Math.max(1, Math.min(MAX_BATCH_EVENTS, over === -1 ? waiting.length : over));
}
