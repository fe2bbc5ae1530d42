import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import { CloudPhoneError } from '../../../client/src/errors.js';
import type { Wait } from '../../../client/src/platform.js';
import type { Lease } from '../leases/take-lease.js';
import { Failure, STATUS } from '../output/failure.js';
import { begunAhead } from '../service/begun-ahead.js';

/** The time of a run's lease, seconds. A phone of a run that was killed is free so long after the last renewal. */
export const RUN_LEASE_S = 300;

/** Time between two renewals, ms. */
const RENEWAL_MS = (RUN_LEASE_S * 1_000) / 3;

/** Time before a renewal that got no good response is sent again, ms. */
const RETRY_MS = 5_000;

/** How often the end of a lease is sent where no good response comes. The lease ends by its time after that. */
const END_TRIES = 5;

/** Errors after which the same request may succeed. After the others the lease is lost. */
const PASSING: readonly string[] = ['unreachable', 'unavailable', 'timeout', 'internal', 'unexpected', 'rate_limited'];

interface Calls {
  phone: CloudPhone;
  wait: Wait;
  nowMs: () => number;
}

/** A lease that is renewed until it is ended or lost. */
export class HeldLease {
  readonly #calls: Calls;
  readonly lease: Lease;
  readonly #lost = new AbortController();
  readonly #left = new AbortController();
  readonly #renewing: Promise<void>;

  constructor(calls: Calls, lease: Lease) {
    this.#calls = calls;
    this.lease = lease;
    this.#renewing = begunAhead(this.#renew());
  }

  /** Aborted, with the reason, when the phone is not the run's any more. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Ends the lease. A lease that has ended is no failure. */
  async end(): Promise<void> {
    await this.#stopRenewing();
    await this.#try((params) => this.#calls.phone.delete('/v1/leases/{id}', { params }));
  }

  /** Leaves the lease to end by its time, `ttlS` seconds from now. Returns when that is. */
  async leaveFor(ttlS: number): Promise<string> {
    await this.#stopRenewing();
    const renewed = await this.#try((params) =>
      this.#calls.phone.post('/v1/leases/{id}/renew', { params, body: { ttl_s: ttlS } }),
    );
    return renewed?.lease.expires_at ?? this.lease.expires_at;
  }

  async #stopRenewing(): Promise<void> {
    this.#left.abort();
    await this.#renewing;
  }

  async #try<T>(send: (params: { path: { id: string } }) => Promise<T>): Promise<T | undefined> {
    for (let tries = 1; ; tries++) {
      try {
        return await send({ path: { id: this.lease.id } });
      } catch (error) {
        if (!(error instanceof CloudPhoneError)) throw error;
        if (error.kind === 'not_found') return undefined;
        if (!PASSING.includes(error.kind) || tries === END_TRIES) throw error;
      }
      await this.#calls.wait(1_000);
    }
  }

  /** Renews the lease until it is left, or until the service says that it has ended or could not be reached for its whole time. */
  async #renew(): Promise<void> {
    const { phone, wait, nowMs } = this.#calls;
    const { signal } = this.#left;
    const params = { path: { id: this.lease.id } };
    const body = { ttl_s: RUN_LEASE_S };
    let endMs = nowMs() + RUN_LEASE_S * 1_000;
    let pauseMs = RENEWAL_MS;
    for (;;) {
      try {
        await wait(pauseMs, signal);
        const sentMs = nowMs();
        await phone.post('/v1/leases/{id}/renew', { params, body, signal });
        endMs = sentMs + RUN_LEASE_S * 1_000;
        pauseMs = RENEWAL_MS;
      } catch (error) {
        if (signal.aborted) return;
        pauseMs = RETRY_MS;
        const isPassing = error instanceof CloudPhoneError && PASSING.includes(error.kind);
        if (!isPassing || nowMs() >= endMs) {
          this.#lost.abort(lossOf(this.lease, error));
          return;
        }
      }
    }
  }
}

function lossOf({ device }: Lease, error: unknown): Failure {
  const reason = error instanceof Error ? error.message : String(error);
  return new Failure(`The lease of ${device} has ended, so the command was ended too. ${reason}`, STATUS.busy);
}
