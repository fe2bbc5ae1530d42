import { ApiError } from '../../../kit/errors/api-error.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { PoolDocument, PoolProblem } from '../../store/pools.js';
import type { FleetContext } from '../fleet-context.js';
import { POOL_RETRY_MS } from '../limits.js';
import { freeSlots, makePhone } from './make-phone.js';
import { isSteady, isWell, phonesNow, planPool, type PoolPhonesNow } from './plan-pool.js';
import { removePhone } from './remove-phone.js';

/**
 * Compares a pool with its phones once, and makes and deletes what is needed. Nothing of it is kept in memory: each phone is a device with
 * the pool's name from its first write on. So a process that is killed anywhere leaves phones that the next one finds and counts.
 *
 * A pool that is being deleted is forgotten once its last phone is gone.
 */
export async function workOnPool(context: FleetContext, pool: PoolDocument): Promise<void> {
  const { devices, pools, hostSilence, clock } = context;
  const found = await devices.pools.find(pool._id);
  if (pool.deleting === true && found.length === 0) return pools.forget(pool._id);
  const now = phonesNow(found, clock.now(), await hostSilence.now());
  const plan = planPool(pool, now, clock.now());
  for (const device of plan.remove) await removePhone(context, pool, device);
  const failure = await makePhones(context, pool, freeSlots(pool, found).slice(0, plan.make));
  const [broken] = plan.failed;
  await noteFindings(context, pool, now, {
    failure: failure ?? (broken === undefined ? undefined : phoneFailure(broken)),
    isFull: plan.isFull,
  });
}

/** Makes a phone at each place. Returns why the first one that failed could not be made; the others are not tried then. */
async function makePhones(
  context: FleetContext,
  pool: PoolDocument,
  slots: readonly number[],
): Promise<Omit<PoolProblem, 'since'> | undefined> {
  for (const slot of slots) {
    // The pool may have been changed or deleted since it was read.
    const now = await context.pools.find(pool._id);
    if (now?.version !== pool.version || now.most <= slot || now.deleting === true) return undefined;
    try {
      await makePhone(context, pool, slot);
    } catch (error) {
      if (error instanceof ApiError) return { kind: error.kind, message: error.message };
      context.log.warn({ pool: pool.name, account: pool.accountId, err: error }, 'a phone of a pool could not be made');
      return { kind: 'internal', message: 'A phone could not be made by a fault of the service. It is tried again.' };
    }
  }
  return undefined;
}

/** Writes what keeps the pool from its number, and when it tries again. Writes nothing where that has not changed. */
async function noteFindings(
  { pools, clock, log }: FleetContext,
  pool: PoolDocument,
  now: PoolPhonesNow,
  { failure, isFull }: { failure: Omit<PoolProblem, 'since'> | undefined; isFull: boolean },
): Promise<void> {
  const tries = (pool.failed?.tries ?? 0) + 1;
  const waitMs = Math.min(POOL_RETRY_MS.first * 2 ** (tries - 1), POOL_RETRY_MS.last);
  const nowMs = clock.now();
  const failed =
    failure !== undefined
      ? { tries, at: new Date(nowMs), retryAt: new Date(nowMs + waitMs) }
      : isSteady(pool, now, nowMs)
        ? undefined
        : pool.failed;
  const found = failure ?? (isFull ? fullOf(pool, now) : undefined);
  const kept = failed === undefined || isFull || isWell(pool, now) ? undefined : pool.problem;
  const problem = found === undefined ? kept : { ...found, since: sinceOf(pool, found.kind, clock.now()) };
  if (problem?.message === pool.problem?.message && failed === pool.failed) return;
  if (failure !== undefined)
    log.info({ pool: pool.name, account: pool.accountId, ...failure }, 'a pool cannot have its number of phones');
  await pools.note(pool, { ...(problem !== undefined && { problem }), ...(failed !== undefined && { failed }) });
}

function sinceOf({ problem }: PoolDocument, kind: string, nowMs: number): Date {
  return problem?.kind === kind ? problem.since : new Date(nowMs);
}

function phoneFailure({ name, pool, problem, state }: DeviceDocument): Omit<PoolProblem, 'since'> {
  const why = pool?.unfit ?? problem?.message ?? `It was ${state} and not ready in time.`;
  return { kind: 'phones', message: `The phone "${name}" did not become ready: ${why}` };
}

function fullOf({ most }: PoolDocument, { leased }: PoolPhonesNow): Omit<PoolProblem, 'since'> {
  const message = `The pool has ${most} phones, its most, and ${leased.length} of them are leased. Raise "most", or end leases.`;
  return { kind: 'most', message };
}
