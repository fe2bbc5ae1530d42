import pLimit from 'p-limit';
import { randomHex } from '../../../kit/text/ids.js';
import { LeaseTerm } from '../../../kit/db/lease-term.js';
import { POOL_LEASE_MS } from '../limits.js';
import type { PoolDocument } from '../../store/pools.js';
import type { FleetContext } from '../fleet-context.js';
import { workOnPool } from './work-on-pool.js';

/** How many pools are worked on at a time. */
const POOLS_AT_ONCE = 4;

/**
 * The pools that this process works on. One process works on a pool at a time, by a lease; when it is killed, another one goes on within
 * POOL_LEASE_MS. A process that outlasts its lease can make no phone too many, as each phone has a place of its own (make-phone.ts).
 */
export class PoolRuns {
  readonly #context: FleetContext;
  /** The run of this process on each pool, and until when it has the pool. */
  readonly #runs = new Map<string, { runId: string; term: LeaseTerm }>();

  constructor(context: FleetContext) {
    this.#context = context;
  }

  /** Works once on each pool that this process has or can take over. A pool that fails delays no other one. */
  async tick(): Promise<void> {
    const { pools, log } = this.#context;
    const all = await pools.listAll();
    const ids = new Set(all.map(({ _id }) => _id));
    for (const id of this.#runs.keys()) if (!ids.has(id)) this.#runs.delete(id);
    const limit = pLimit(POOLS_AT_ONCE);
    await Promise.all(
      all.map((pool) =>
        limit(async () => {
          try {
            const held = await this.#hold(pool);
            if (held !== undefined) await workOnPool(this.#context, held);
          } catch (error) {
            log.warn(
              { pool: pool.name, account: pool.accountId, err: error },
              'could not work on a pool; trying again',
            );
          }
        }),
      ),
    );
  }

  /** Gives the pools back, once there are no ticks any more. */
  async close(): Promise<void> {
    const runs = [...this.#runs].map(([_id, { runId }]) => ({ _id, runId }));
    await this.#context.pools.release(runs).catch(() => undefined); // The leases then lapse by themselves.
  }

  /** Returns the pool if this process has it for long enough. */
  async #hold(pool: PoolDocument): Promise<PoolDocument | undefined> {
    const { pools, clock } = this.#context;
    const run = this.#runs.get(pool._id);
    if (run !== undefined && run.runId === pool.runId && run.term.leftMs > 0) {
      if (run.term.leftMs < (POOL_LEASE_MS * 2) / 3)
        await run.term.renew((leaseUntil) => pools.renew(pool, leaseUntil));
      if (run.term.leftMs > 0) return pool;
    }
    this.#runs.delete(pool._id);
    if (pool.leaseUntil.getTime() > clock.now()) return undefined;
    const term = new LeaseTerm(clock, POOL_LEASE_MS);
    const runId = randomHex(8);
    let taken: PoolDocument | undefined;
    await term.renew(async (leaseUntil) => {
      taken = await pools.take(pool, { runId, leaseUntil });
      return taken !== undefined;
    });
    if (taken !== undefined) this.#runs.set(pool._id, { runId, term });
    return taken;
  }
}
