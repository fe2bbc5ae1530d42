import type { DeviceDocument } from '../../store/devices.js';
import type { PoolDocument } from '../../store/pools.js';
import type { SilentSince } from '../host-silence.js';
import { MAX_MADE_AT_ONCE, POOL_PATIENCE_MS, POOL_STEADY_MS, REPLACED_AFTER_MS } from '../limits.js';

/** How the phones of a pool are at a time. */
export interface PoolPhonesNow {
  /** Running, checked and free; the one that is ready longest first. */
  ready: DeviceDocument[];
  leased: DeviceDocument[];
  /** Being made, started or brought back, or waiting for their check. */
  starting: DeviceDocument[];
  /** Their making failed, they have a problem, or they are off: they are of no use. */
  broken: DeviceDocument[];
  /** Being deleted. */
  going: DeviceDocument[];
}

/** What is to be done for a pool now. */
export interface PoolPlan {
  /** How many phones are to be made. */
  make: number;
  /** Phones that are to be deleted. */
  remove: DeviceDocument[];
  /** The phones of `remove` that broke early. Making more at once would perhaps only make more of them. */
  failed: DeviceDocument[];
  /** The pool lacks phones, and has as many as it may. */
  isFull: boolean;
}

/** Sorts the phones of a pool by what they are now. `silentSince`: when silent hosts were last heard of. */
export function phonesNow(
  devices: readonly DeviceDocument[],
  nowMs: number,
  silentSince: SilentSince = new Map(),
): PoolPhonesNow {
  const now: PoolPhonesNow = { ready: [], leased: [], starting: [], broken: [], going: [] };
  for (const device of devices) now[kindOf(device, nowMs, silentSince.get(device.hostId))].push(device);
  now.ready.sort((a, b) => readyMs(a) - readyMs(b));
  return now;
}

/**
 * Decides what a pool needs. New phones come before old ones go. A phone of an earlier version is deleted when a new one is ready in its
 * place, one after the other. It is deleted before where there is no room for a new one otherwise.
 */
export function planPool(pool: PoolDocument, now: PoolPhonesNow, nowMs: number): PoolPlan {
  const wanted = pool.deleting === true ? 0 : pool.ready;
  const isOld = (device: DeviceDocument): boolean => device.pool?.version !== pool.version;
  const old = now.ready.filter(isOld);
  const current = now.ready.filter((device) => !isOld(device));
  const outdated = now.starting.filter((device) => isOld(device) && device.job === undefined);
  const coming = now.starting.filter((device) => !isOld(device)).length;
  const all = [now.ready, now.leased, now.starting, now.broken, now.going].flat().length;
  // A burst of leases has its first pictures before the boots of the next phones take the processors.
  const fresh = now.leased.filter(({ lease }) => nowMs - (lease?.begunAt.getTime() ?? 0) < REPLACED_AFTER_MS).length;
  const lacking = Math.max(0, wanted - current.length - coming - fresh);
  const room = Math.max(0, pool.most - all);
  const mayTry = pool.failed === undefined || pool.failed.retryAt.getTime() <= nowMs;
  // While old phones serve, one new phone is made at a time.
  const step = old.length > 0 ? Math.max(0, 1 - coming) : MAX_MADE_AT_ONCE;
  const make = mayTry ? Math.min(lacking, room, step) : 0;
  // Where every place is taken by old phones, one of them goes for the first new one.
  const forRoom = lacking > 0 && room === 0 && now.going.length === 0 && mayTry ? old.slice(0, 1) : [];
  const surplus = Math.max(0, old.length + current.length - wanted);
  // The phones that were ready first stay, as a lease takes these first.
  const extra = [...old, ...current.toReversed()].slice(0, surplus);
  const remove = [...new Set([...now.broken, ...outdated, ...forRoom, ...extra])];
  return {
    ...{ make, remove },
    failed: now.broken.filter((device) => isEarly(device, nowMs)),
    isFull: lacking > 0 && room === 0 && old.length === 0 && now.going.length === 0,
  };
}

function kindOf(
  { lease, job, state, problem, pool }: DeviceDocument,
  nowMs: number,
  hostSilentSince: Date | undefined,
): keyof PoolPhonesNow {
  if (lease !== undefined) return 'leased';
  if (job?.kind === 'delete' || state === 'deleting') return 'going';
  if (job !== undefined) return 'starting';
  if (state !== 'running' || pool?.unfit !== undefined) return 'broken';
  // It may be over soon, as where a host is away for a moment.
  const illSince = problem?.since ?? hostSilentSince;
  if (illSince !== undefined) return isLongAgo(illSince, nowMs) ? 'broken' : 'starting';
  if (pool?.readySince !== undefined) return 'ready';
  return isLongAgo(pool?.failingSince, nowMs) ? 'broken' : 'starting';
}

function isLongAgo(since: Date | undefined, nowMs: number): boolean {
  return since !== undefined && nowMs - since.getTime() > POOL_PATIENCE_MS;
}

/** Returns whether the pool has its number again, or a phone became ready after the last failure: nothing keeps it from its number now. */
export function isWell(pool: PoolDocument, now: PoolPhonesNow): boolean {
  return madeSince(pool, now).length > 0 || (now.ready.length >= pool.ready && now.broken.length === 0);
}

/**
 * Returns whether the last failure counts no more: a phone that was made after it is leased, or stays ready. Until then the pauses between
 * tries grow, also where each phone breaks soon after it was ready.
 */
export function isSteady(pool: PoolDocument, now: PoolPhonesNow, nowMs: number): boolean {
  const isLongReady = ({ pool: of }: DeviceDocument): boolean =>
    nowMs - (of?.readySince?.getTime() ?? 0) >= POOL_STEADY_MS;
  if (madeSince(pool, now).some((device) => device.lease !== undefined || isLongReady(device))) return true;
  return isWell(pool, now) && nowMs - (pool.failed?.at.getTime() ?? 0) >= POOL_STEADY_MS;
}

/** Returns the phones that became ready after the last failure. */
function madeSince({ failed }: PoolDocument, { ready, leased }: PoolPhonesNow): DeviceDocument[] {
  return [...ready, ...leased].filter((device) => readyMs(device) > (failed?.at.getTime() ?? 0));
}

/** Returns whether a broken phone was never ready, or not for long and never leased. */
function isEarly({ pool, leaseEndedAt }: DeviceDocument, nowMs: number): boolean {
  const readySince = pool?.readySince;
  return readySince === undefined || (leaseEndedAt === undefined && nowMs - readySince.getTime() < POOL_STEADY_MS);
}

function readyMs({ pool }: DeviceDocument): number {
  return pool?.readySince?.getTime() ?? 0;
}
