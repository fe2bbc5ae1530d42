import type { Clock } from '../../kit/async/clock.js';
import { failedEnd } from '../../kit/timeline/failed-end.js';
import type { Log } from '../../kit/log/log.js';
import { type EntryFacts, newEntry } from '../../kit/timeline/new-entry.js';
import type { TimelineQueue } from '../../kit/timeline/timeline-queue.js';
import type { NewTimelineEntry } from '../../proto/gen/cloudphone/device/v1/timeline_service_pb.js';
import { hideSecretText } from '../secrets/hide-secrets.js';
import type { Secret } from '../secrets/secret.js';
import type { TimelineKind } from '../../proto/gen/cloudphone/device/v1/timeline_pb.js';
import type { Located } from '../phones/locate.js';

/** The facts of a call that has ended. */
export interface Recorded {
  /** The secrets that no text of the entry may show. */
  secrets: readonly Secret[];
  /** The bytes of memory that the description holds, such as those of pixels. */
  heldBytes: number;
  /** Returns the rest of the entry. It is called once, after the response. */
  describe: () => Promise<Partial<EntryFacts> & { request: unknown }>;
  /** Resolves when the entry may be made. Absent: at once. */
  when?: Promise<void> | undefined;
}

/** How a call ended. */
export type Ended<T> = { result: T } | { error: unknown };

/**
 * The number of entries, of all phones, that wait for `when` before they are queued. Further ones are queued at once, and `describe` waits
 * in the queue.
 */
const MAX_DELAYED_ENTRIES = 300;

/** Records calls in the timelines of the phones that they are about, where the timelines are on. */
export class TimelineRecorder {
  readonly #queue: Pick<TimelineQueue, 'add'>;
  readonly #clock: Clock;
  readonly #log: Log;
  #delayed = 0;

  constructor({ queue, clock, log }: { queue: Pick<TimelineQueue, 'add'>; clock: Clock; log: Log }) {
    this.#queue = queue;
    this.#clock = clock;
    this.#log = log;
  }

  /** Runs a call, and records it when it has ended. The recording neither delays nor fails the call. */
  async run<T>(
    located: Located,
    kind: TimelineKind,
    call: () => Promise<T>,
    record: (ended: Ended<T>) => Recorded,
  ): Promise<T> {
    if (!located.timeline) return call();
    const atMs = this.#clock.now();
    const startMs = this.#clock.monotonicMs();
    let ended: Ended<T> | undefined;
    try {
      const result = await call();
      ended = { result };
      return result;
    } catch (error) {
      ended = { error };
      throw error;
    } finally {
      const over = ended;
      if (over !== undefined) {
        const durationMs = this.#clock.monotonicMs() - startMs;
        this.add(located, { kind, atMs, durationMs, ...endOf(over) }, () => record(over));
      }
    }
  }

  /** Records something that is over already. */
  add({ phoneSession, keyId }: Located, facts: Omit<EntryFacts, 'request' | 'phoneId'>, record: () => Recorded): void {
    const { phoneId } = phoneSession.phone;
    try {
      const { secrets, heldBytes, describe, when } = record();
      const make = async (): Promise<NewTimelineEntry> => {
        const entry = { outcome: 'done', ...facts, phoneId, keyId, ...(await describe()) };
        // Messages of errors name the text that was searched for, so secrets are hidden in them.
        const { message } = entry;
        return newEntry({ ...entry, ...(message !== undefined && { message: hideSecretText(message, secrets) }) });
      };
      const add = (): void => this.#queue.add({ phoneId, heldBytes, make });
      if (when === undefined || this.#delayed >= MAX_DELAYED_ENTRIES) {
        add();
        return;
      }
      this.#delayed++;
      const onSettled = (): void => {
        this.#delayed--;
        add();
      };
      when.then(onSettled, onSettled);
    } catch (error) {
      this.#log.error({ err: error }, 'a call could not be recorded in a timeline');
    }
  }
}

/** Returns the outcome of a call, as entries have it. */
export function endOf<T>(ended: Ended<T>): Pick<EntryFacts, 'outcome' | 'message'> {
  if ('result' in ended) return { outcome: 'done' };
  const { error } = ended;
  return failedEnd(error);
}
