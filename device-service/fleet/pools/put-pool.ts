import { create } from '@bufbuild/protobuf';
import { ApiError } from '../../../kit/errors/api-error.js';
import { createId, randomHex } from '../../../kit/text/ids.js';
import { wordOf } from '../../../kit/text/wire-words.js';
import { creatorOf } from '../../../kit/rpc/may-see.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { ExitTypeSchema, PlanSchema } from '../../../proto/gen/cloudphone/device/v1/device_pb.js';
import { CreateDeviceRequestSchema } from '../../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import type { PutPoolRequest } from '../../../proto/gen/cloudphone/device/v1/pool_service_pb.js';
import { exitDrivers } from '../../devices/hosts/place-phone.js';
import { assertCanMake } from '../../devices/lifecycle/create-device.js';
import { changedLabels } from '../../record/labels.js';
import type { PlanWord } from '../../store/device-document.js';
import { nameKey } from '../../store/devices.js';
import type { PoolChange, PoolDescription, PoolDocument } from '../../store/pools.js';
import type { FleetContext } from '../fleet-context.js';
import { MAX_POOLS } from '../../devices/limits.js';
import { POOL_PHONES } from '../limits.js';
import { makerOf } from '../../accounts/callers/group-rights.js';
import { findUsablePool, mayUse } from './find-pool.js';
import { requestOf } from './make-phone.js';

/** How often a write is tried again because another call changed the pool meanwhile. */
const TRIES = 10;

/** Makes or changes a pool. The work on its phones begins after the response. */
export async function putPool(context: FleetContext, caller: Caller, request: PutPoolRequest): Promise<PoolDocument> {
  const { pools, poolNews } = context;
  const { name, ready, most = Math.max(POOL_PHONES, ready) } = request;
  if (most < ready) throw new ApiError('bad_request', `most: ${most} is below ready, ${ready}.`);
  const description = await describe(context, request);
  await assertCanMake(context, caller, create(CreateDeviceRequestSchema, requestOf(description)));
  const change: PoolChange = { description, ready, most, maker: makerOf(caller) };
  for (let tries = 0; tries < TRIES; tries++) {
    const before = await pools.findByName(caller.accountId, name);
    if (before !== null && !mayUse(caller, before)) await findUsablePool(context, caller, name);
    const written = before === null ? await insert(context, caller, name, change) : await pools.change(before, change);
    if (written === undefined) continue;
    await assertStillThere(context, caller, written, before);
    poolNews.soon();
    return written;
  }
  throw new ApiError('busy', `The pool "${name}" is being changed by others all the time. Try again.`);
}

/**
 * Checks once more that phones can be made, now that the pool is there, and takes the write back otherwise. Whoever deletes a template or an
 * app looks for pools after that. So when both come at the same time, at least one is refused. A crash in between leaves a pool whose page
 * says what it lacks.
 */
async function assertStillThere(
  context: FleetContext,
  caller: Caller,
  written: PoolDocument,
  before: PoolDocument | null,
): Promise<void> {
  try {
    await assertCanMake(context, caller, create(CreateDeviceRequestSchema, requestOf(written.description)));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (before === null) await context.pools.beginDelete(written._id);
    else {
      const { description, ready, most, maker } = before;
      await context.pools.change(written, { description, ready, most, maker });
    }
    throw error;
  }
}

/** Deletes a pool. Its phones go one after the other, leased ones at the end of their lease; its name is free at once. */
export async function deletePool(context: FleetContext, caller: Caller, name: string): Promise<void> {
  const { _id } = await findUsablePool(context, caller, name);
  await context.pools.beginDelete(_id);
  context.poolNews.soon();
}

/** Returns undefined where another call has just made a pool of this name. */
async function insert(
  { pools, clock }: FleetContext,
  caller: Caller,
  name: string,
  change: PoolChange,
): Promise<PoolDocument | undefined> {
  const { accountId } = caller;
  if ((await pools.count(accountId)) >= MAX_POOLS)
    throw new ApiError('rate_limited', `This account has ${MAX_POOLS} pools, the most that it may have. Delete one.`);
  const pool: PoolDocument = {
    _id: createId('pool', clock.now()),
    ...{ accountId, name, nameKey: nameKey(accountId, name), createdBy: creatorOf(caller), ...change },
    ...{ version: 1, createdAt: new Date(clock.now()), runId: randomHex(8), leaseUntil: new Date(0) },
  };
  return (await pools.insert(pool)) ? pool : undefined;
}

/** Returns the description that the request has, with the defaults. */
async function describe(context: FleetContext, request: PutPoolRequest): Promise<PoolDescription> {
  const { template, model, android, plan, apps } = request;
  if ((template === undefined) === (model === undefined))
    throw new ApiError('bad_request', 'Send exactly one of template and model.');
  if (template !== undefined && android !== undefined)
    throw new ApiError('bad_request', 'android: the template has its own version. Leave it out.');
  return {
    ...(template !== undefined && { template }),
    ...(model !== undefined && { model }),
    ...(android !== undefined && { android }),
    network: await networkOf(context, request),
    plan: plan === undefined ? 'minute' : (wordOf(PlanSchema, plan) as PlanWord),
    apps,
    labels: changedLabels([], request.labels),
  };
}

async function networkOf(context: FleetContext, { network }: PutPoolRequest): Promise<PoolDescription['network']> {
  if (network !== undefined) {
    const { type, country, timezone } = network;
    return { type: wordOf(ExitTypeSchema, type), country, ...(timezone !== undefined && { timezone }) };
  }
  const direct = context.exits.options(await exitDrivers(context)).find(({ type }) => type === 'direct');
  if (direct === undefined)
    throw new ApiError('bad_request', 'network is missing: no direct exit is on offer (GET /v1/network/options).');
  return { type: 'direct', country: direct.country };
}
