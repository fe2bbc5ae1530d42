import { create } from '@bufbuild/protobuf';
import { enumOf } from '../../../kit/text/wire-words.js';
import { randomText } from '../../../kit/text/ids.js';
import { ExitTypeSchema, PlanSchema } from '../../../proto/gen/cloudphone/device/v1/device_pb.js';
import { CreateDeviceRequestSchema } from '../../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { callerOfMaker } from '../../accounts/callers/group-rights.js';
import { createDevice } from '../../devices/lifecycle/create-device.js';
import { labelsByKey } from '../../record/labels.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { PoolDescription, PoolDocument } from '../../store/pools.js';
import type { FleetContext } from '../fleet-context.js';

/**
 * Makes one phone of a pool at a free place of it, with the rights of the pool's maker. Throws where it cannot be made. The place is unique
 * in the database: where another process takes it at the same time, only one of the two makes a phone.
 */
export async function makePhone(context: FleetContext, pool: PoolDocument, slot: number): Promise<DeviceDocument> {
  const caller = await callerOfMaker(context, pool.accountId, pool.maker);
  const name = `${pool.name}-${randomText(6)}`;
  const request = { ...requestOf(pool.description), name };
  const of = { pool: { id: pool._id, name: pool.name, version: pool.version }, slotKey: `${pool._id}/${slot}` };
  return createDevice(context, caller, create(CreateDeviceRequestSchema, request), undefined, of);
}

/** Returns the places of the pool, below `most`, that none of its phones has. */
export function freeSlots({ _id, most }: PoolDocument, devices: readonly DeviceDocument[]): number[] {
  const taken = new Set(devices.map(({ poolSlotKey }) => poolSlotKey));
  return Array.from({ length: most }, (_, at) => at).filter((at) => !taken.has(`${_id}/${at}`));
}

/** Returns the request by which a phone of this description is made. */
export function requestOf({ template, model, android, network, plan, apps, labels }: PoolDescription) {
  const { type, ...place } = network;
  return {
    ...(template !== undefined && { template }),
    ...(model !== undefined && { model }),
    ...(android !== undefined && { android }),
    network: { type: enumOf(ExitTypeSchema, type), ...place },
    plan: enumOf(PlanSchema, plan),
    labels: labelsByKey(labels),
    apps,
  };
}
