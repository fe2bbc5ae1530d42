import { begunAhead } from '../begun-ahead.js';
import type { Service } from '../service.js';

/** A phone that a lease keeps for one episode. */
export interface LeasedPhone {
  device: string;
  lease: string;
}

/** How long a lease lasts that nobody ends, seconds: longer than any episode. */
const LEASE_S = 3_600;

/** How long one request waits for a phone, and how often it is sent again. */
const WAIT_S = 60;
const MAX_WAITS = 5;

/** The phones of a gym: a pool of the service, whose phones go back to the template after each lease. */
export class GymPhones {
  readonly service: Service;
  readonly #pool: string;
  readonly #ends = new Set<Promise<unknown>>();

  constructor(service: Service, pool: string) {
    this.service = service;
    this.#pool = pool;
  }

  /** Takes a phone that is ready, or waits for one. */
  async take(): Promise<LeasedPhone> {
    const body = { pool: this.#pool, ttl_s: LEASE_S, wait_s: WAIT_S, at_end: 'restore', note: 'gym' } as const;
    for (let waits = 1; ; waits++) {
      try {
        const { lease, device } = await this.service.phone.post('/v1/leases', { body });
        return { device: device.name, lease: lease.id };
      } catch (error) {
        const isBusy = error instanceof Error && 'kind' in error && error.kind === 'busy';
        if (!isBusy || waits === MAX_WAITS) throw error;
      }
    }
  }

  /** Begins to give a phone back. Nobody waits for it: the next phone is another one. */
  giveBack({ lease }: LeasedPhone): void {
    const end = begunAhead(this.service.phone.request('DELETE', `/v1/leases/${lease}`));
    this.#ends.add(end);
    const forget = (): void => void this.#ends.delete(end);
    end.then(forget, forget);
  }

  /** Waits until all phones that were given back are. A failure is one of the service, whose leases end by their time then. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#ends]);
  }

  /** Deletes the pool with its phones. */
  async close(): Promise<void> {
    await this.settled();
    await this.service.phone.request('DELETE', `/v1/pools/${this.#pool}`);
  }
}

/** The phones of a gym, as environments use them. */
export type EpisodePhones = Pick<GymPhones, 'service' | 'take' | 'giveBack' | 'settled'>;
