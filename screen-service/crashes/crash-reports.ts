import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Clock } from '../../kit/async/clock.js';
import { Cancellation } from '../../kit/async/within.js';
import { ApiError } from '../../kit/errors/api-error.js';
import type { Log } from '../../kit/log/log.js';
import { enumOf } from '../../kit/text/wire-words.js';
import { CrashKindSchema } from '../../proto/gen/cloudphone/device/v1/crash_pb.js';
import { type ReportedCrash, ReportedCrashSchema } from '../../proto/gen/cloudphone/device/v1/crash_service_pb.js';
import type { FoundCrash } from './found-crash.js';

/**
 * Most crashes that wait to be reported, in all and of one phone, while the device service is away. Each may have a trace of 64 KiB. A phone
 * that floods leaves room for the others.
 */
const MAX_WAITING = 500;
const MAX_WAITING_OF_PHONE = 100;

/** Most crashes in one call, as its rpc allows. */
const MAX_BATCH = 20;

const SEND_MS = 10_000;

/** Pause after a failed call, ms. It doubles with each further failure, up to `MAX_PAUSE_MS`. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;

export interface CrashReportsParts {
  clock: Clock;
  log: Log;
  /** Reports crashes, and returns the id under which each is kept; may be called again with the same ones. */
  send: (crashes: ReportedCrash[], timeoutMs: number) => Promise<{ ids: string[] }>;
}

/** One start of a phone. */
export interface PhoneStart {
  phoneId: string;
  generation: number;
}

/** Reports crashes to the device service, in their order. While it is away, they wait. */
export class CrashReports {
  readonly #parts: CrashReportsParts;
  readonly #waiting: { crash: ReportedCrash; onKept: (id: string | undefined) => void }[] = [];
  readonly #closing = new Cancellation();
  #sending: Promise<void> | undefined;
  /** How many were left out since the last report, as too many wait. */
  #leftOut = 0;

  constructor(parts: CrashReportsParts) {
    this.#parts = parts;
  }

  /** Returns the id under which the crash is kept; undefined when it is not. */
  report({ phoneId, generation }: PhoneStart, found: FoundCrash): Promise<string | undefined> {
    const { atMs, kind, process, reason, trace } = found;
    const crash = create(ReportedCrashSchema, {
      ...{ phoneId, generation, process, reason, trace, package: found.package },
      at: timestampFromMs(atMs),
      kind: enumOf(CrashKindSchema, kind),
    });
    return new Promise((resolve) => {
      const ofPhone = this.#waiting.filter(({ crash: { phoneId: of } }) => of === phoneId).length;
      const isFull = this.#waiting.length >= MAX_WAITING || ofPhone >= MAX_WAITING_OF_PHONE;
      if (isFull || this.#isClosing()) {
        // One line is enough for many, and their number follows.
        if (isFull && this.#leftOut++ === 0)
          this.#parts.log.warn({ phone_id: phoneId, process }, 'crashes of apps are left out, as too many wait');
        resolve(undefined);
        return;
      }
      this.#waiting.push({ crash, onKept: resolve });
      this.#sending ??= begunAhead(this.#sendAll().finally(() => (this.#sending = undefined)));
    });
  }

  /** Ends the sending. What was not sent is found in the phones' logs again. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('closing'));
    await this.#sending;
    for (const { onKept } of this.#waiting.splice(0)) onKept(undefined);
  }

  #isClosing(): boolean {
    return this.#closing.endedBy !== undefined;
  }

  async #sendAll(): Promise<void> {
    const { clock, log, send } = this.#parts;
    let pauseMs = FIRST_PAUSE_MS;
    // The turn ends first, so that crashes that are found together go together.
    await Promise.resolve();
    while (this.#waiting.length > 0 && !this.#isClosing()) {
      const batch = this.#waiting.slice(0, MAX_BATCH);
      let ids: readonly string[] = [];
      try {
        ({ ids } = await this.#closing.unlessEnded(
          send(
            batch.map(({ crash }) => crash),
            SEND_MS,
          ),
        ));
        pauseMs = FIRST_PAUSE_MS;
        if (this.#leftOut > 0)
          log.warn({ crashes: this.#leftOut }, 'crashes of apps were left out, as too many waited');
        this.#leftOut = 0;
      } catch (error) {
        if (this.#isClosing()) return;
        const isAway = error instanceof ApiError && (error.kind === 'unavailable' || error.kind === 'timeout');
        log[isAway ? 'warn' : 'error']({ err: error, crashes: batch.length }, 'could not report crashes of apps');
        if (isAway) {
          await clock.sleep(pauseMs, this.#closing.signal).catch(() => undefined);
          pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
          continue;
        }
      }
      this.#waiting.splice(0, batch.length);
      for (const [at, { onKept }] of batch.entries()) onKept(ids[at] === '' ? undefined : ids[at]);
    }
  }
}
