import type { Call } from '../../../kit/call/call.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { createId } from '../../../kit/text/ids.js';
import { assertConfirmed } from '../../../kit/rpc/step-up.js';
import { wordOf } from '../../../kit/text/wire-words.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import { LeaseEndSchema } from '../../../proto/gen/cloudphone/device/v1/lease_pb.js';
import type { CreateLeaseRequest } from '../../../proto/gen/cloudphone/device/v1/lease_service_pb.js';
import { seenBy } from '../../accounts/callers/visibility.js';
import { findSnapshot } from '../../devices/snapshots/snapshots.js';
import { assertSnapshotReady } from '../../record/snapshot-ready.js';
import { LEASE_S, LEASE_WAIT_ALIVE_MS, LEASE_WAIT_POLL_MS, MAX_LEASE_WAITS } from '../limits.js';
import type { DeviceDocument } from '../../store/devices.js';
import { type DeviceLease, leaseEvent, type LeaseEndWord } from '../../store/lease.js';
import type { LeaseWait, Wanted } from '../../store/lease-waits.js';
import type { FleetContext } from '../fleet-context.js';
import { assertEventsSent } from '../waiting-events.js';
import { assertHasState, findUsablePool } from '../pools/find-pool.js';
import { warmDay, warmMinutes } from '../pools/warm-minutes.js';
import { findFree, leftBy } from './find-free.js';

/** A leased device. */
export type Leased = DeviceDocument & { lease: DeviceLease };

/**
 * Leases a device, and waits for one if the request allows it. One update of the device leases it, so a device has one holder at a time. A
 * client that leaves while it waits gets none. After a crash behind that update the holder has no response, and the lease ends by its time.
 */
export async function takeLease(
  context: FleetContext,
  call: Call,
  caller: Caller,
  request: CreateLeaseRequest,
): Promise<Leased> {
  const wanted = await wantedOf(context, caller, request);
  const terms = await termsOf(context, caller, request);
  const { leaseWaits: store, clock } = context;
  const now = (): Date => new Date(clock.now());
  const waitMs = (request.waitS ?? 0) * 1_000;
  const first = await tryOnce(context, caller, wanted, terms, await store.list(caller.accountId, now()));
  if ('lease' in first) {
    if (!call.signal.aborted) return first.lease;
    await giveBack(context, first.lease);
    call.signal.throwIfAborted();
  }
  if (waitMs === 0) throw new ApiError('busy', 'why' in first ? first.why : '');
  const wait = await enterQueue(context, caller, wanted);
  try {
    return await context.deviceNews.during(caller.accountId, async (woken) => {
      const untilMs = clock.monotonicMs() + waitMs;
      let keptMs = clock.monotonicMs();
      for (;;) {
        const outcome = await tryOnce(
          context,
          caller,
          wanted,
          terms,
          await store.list(caller.accountId, now(), wait._id),
        );
        if ('lease' in outcome) {
          if (!call.signal.aborted) return outcome.lease;
          await giveBack(context, outcome.lease);
        }
        call.signal.throwIfAborted();
        const leftMs = untilMs - clock.monotonicMs();
        if (context.deviceNews.closed)
          throw new ApiError('unavailable', 'The service is stopping. Try again.', { retryAfterS: 1 });
        if (leftMs <= 0) throw new ApiError('busy', 'why' in outcome ? outcome.why : '');
        if (clock.monotonicMs() - keptMs > LEASE_WAIT_ALIVE_MS / 3) {
          keptMs = clock.monotonicMs();
          await store.keep(wait._id, new Date(clock.now() + LEASE_WAIT_ALIVE_MS));
        }
        await woken.wait({ signal: call.signal, timeout: { clock, ms: Math.min(leftMs, LEASE_WAIT_POLL_MS) } });
      }
    });
  } finally {
    // If the database is away, the place in the queue lapses by itself.
    await store.remove(wait._id).catch(() => undefined);
    context.deviceNews.wake(caller.accountId);
  }
}

/**
 * Leases the best device that is free and that nobody wants who came earlier. Returns the reason where there is none.
 *
 * Calls of this process for the same devices choose one after the other, each another device, and then lease at the same time. Otherwise all
 * would try the first one, and then the next. A call of another process that is faster only makes this one choose again.
 */
async function tryOnce(
  context: FleetContext,
  caller: Caller,
  wanted: Wanted,
  terms: (device: DeviceDocument) => DeviceLease,
  earlier: readonly LeaseWait[],
): Promise<{ lease: Leased } | { why: string }> {
  const { devices, deviceEvents, beingLeased, takingLease } = context;
  const tried = new Set<string>();
  for (;;) {
    const choice = await takingLease.run(JSON.stringify([caller.accountId, wanted]), () =>
      choose(context, caller, wanted, earlier, tried),
    );
    if ('why' in choice) return choice;
    const { device } = choice;
    tried.add(device._id);
    try {
      assertEventsSent(device);
      const lease = terms(device);
      const leased = await devices.leases.begin(device, lease, leaseEvent(lease, lease.begunAt));
      if (leased === undefined) continue;
      deviceEvents.soon();
      // It does not delay the response.
      void followUp(context, caller, { ...leased, lease });
      return { lease: { ...leased, lease } };
    } finally {
      beingLeased.delete(device._id);
    }
  }
}

/** Chooses a device that no other call of this process is leasing, and keeps it from them. */
async function choose(
  context: FleetContext,
  caller: Caller,
  wanted: Wanted,
  earlier: readonly LeaseWait[],
  tried: ReadonlySet<string>,
): Promise<{ device: DeviceDocument } | { why: string }> {
  const { beingLeased } = context;
  const { devices, why } = await findFree(context, caller, wanted, earlier.length + beingLeased.size);
  const free = devices.filter(({ _id }) => !beingLeased.has(_id) && !tried.has(_id));
  const [device] = leftBy(earlier, free);
  if (device === undefined)
    return { why: free.length > 0 ? 'Callers that came earlier wait for it. Send wait_s to join them.' : why() };
  beingLeased.add(device._id);
  return { device };
}

/**
 * Does what follows a lease. Never throws. The caller has the phone, whatever becomes of it: until the shares of others are removed, and
 * after a crash, the lease refuses what they try (accounts/callers/leased.ts).
 */
async function followUp(context: FleetContext, caller: Caller, leased: Leased): Promise<void> {
  const { shares, log } = context;
  await Promise.all([
    shares.removeControlOfOthers(leased._id, caller.keyId),
    leased.pool === undefined ? undefined : notePoolUse(context, leased, leased.pool),
  ]).catch((error: unknown) => log.warn({ lease: leased.lease.id, err: error }, 'what follows a lease was not done'));
}

/**
 * Counts the minutes that the phone of a pool was ready. A crash before loses the count. The pool replaces the phone by itself (plan-pool.ts).
 */
async function notePoolUse({ pools, clock }: FleetContext, device: Leased, { id }: { id: string }): Promise<void> {
  const minutes = warmMinutes(device, clock.now());
  if (minutes > 0) await pools.addWarm(id, warmDay(clock.now()), minutes);
}

async function enterQueue({ leaseWaits, clock }: FleetContext, caller: Caller, wanted: Wanted): Promise<LeaseWait> {
  const { accountId } = caller;
  const now = new Date(clock.now());
  if ((await leaseWaits.list(accountId, now)).length >= MAX_LEASE_WAITS) {
    const message = `${MAX_LEASE_WAITS} calls of this account wait for devices. Try again later.`;
    throw new ApiError('rate_limited', message, { retryAfterS: 10 });
  }
  const seen = seenBy(caller);
  const wait: LeaseWait = {
    _id: createId('lsw', clock.now()),
    ...{ accountId, wanted, ...(seen !== undefined && { seen }) },
    aliveUntil: new Date(clock.now() + LEASE_WAIT_ALIVE_MS),
  };
  await leaseWaits.insert(wait);
  return wait;
}

/** Ends a lease whose caller left before its response. The phone was not used, so nothing is done with it. */
async function giveBack(context: FleetContext, device: Leased): Promise<void> {
  const at = new Date(context.clock.now());
  const marked = await context.devices.leases.markEnded(device, { at, reason: 'released' });
  if (marked?.lease !== undefined)
    await context.devices.leases.free(marked, { at, event: leaseEvent(marked.lease, at, 'released') });
}

/** Returns which device the request wants. Throws bad_request unless it names one kind of them. */
async function wantedOf(
  context: FleetContext,
  caller: Caller,
  { device, label, pool }: CreateLeaseRequest,
): Promise<Wanted> {
  const named = [device, label, pool].filter((one) => one !== undefined);
  if (named.length !== 1) throw new ApiError('bad_request', 'Send exactly one of device, label and pool.');
  if (device !== undefined) return { device };
  if (label !== undefined) return { label };
  return { pool: (await findUsablePool(context, caller, pool ?? ''))._id };
}

/** Returns the terms of the lease, as a function of the device that is leased. */
async function termsOf(
  context: FleetContext,
  caller: Caller,
  request: CreateLeaseRequest,
): Promise<(device: DeviceDocument) => DeviceLease> {
  const { clock } = context;
  const isPool = request.pool !== undefined;
  const atEnd =
    request.atEnd === undefined
      ? isPool
        ? 'delete'
        : 'keep'
      : (wordOf(LeaseEndSchema, request.atEnd) as LeaseEndWord);
  // The end of the lease deletes a device of the account, as DeleteDevice does.
  if (atEnd === 'delete' && !isPool) assertConfirmed(caller, { confirmed: true }, clock.now());
  const { snapshot, device, note, ttlS = LEASE_S } = request;
  if (isPool) {
    if (atEnd === 'restore') assertHasState(await findUsablePool(context, caller, request.pool ?? ''));
    if (snapshot !== undefined) throw new ApiError('bad_request', 'snapshot: not for a phone of a pool.');
  } else if (atEnd === 'restore') {
    if (device === undefined || snapshot === undefined) throw new ApiError('bad_request', RESTORE_NEEDS);
    assertSnapshotReady((await findSnapshot(context, caller, device, snapshot)).snapshot);
  } else if (snapshot !== undefined) throw new ApiError('bad_request', 'snapshot: only with "at_end": "restore".');
  const isOwner = caller.scope === Scope.PERSON;
  const { keyId, memberId } = caller;
  const holder = isOwner
    ? { keyId, isOwner, name: 'panel', ...(memberId !== undefined && { memberId }) }
    : { keyId, name: caller.name };
  return ({ pool }) => ({
    id: createId('lse', clock.now()),
    ...holder,
    ...(note !== undefined && { note }),
    begunAt: new Date(clock.now()),
    expiresAt: new Date(clock.now() + ttlS * 1_000),
    ...{ atEnd, ...(snapshot !== undefined && { snapshot }), ...(pool !== undefined && { pool: pool.name }) },
  });
}

const RESTORE_NEEDS =
  '"at_end": "restore" needs "device", and "snapshot" with one of GET /v1/devices/{name}/snapshots.';
