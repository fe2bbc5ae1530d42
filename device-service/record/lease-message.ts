import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { enumOf } from '../../kit/text/wire-words.js';
import { type Lease, LeaseEndSchema, LeaseSchema } from '../../proto/gen/cloudphone/device/v1/lease_pb.js';
import type { DeviceLease } from '../store/lease.js';

/** Returns the lease of a device as callers see it. */
export function leaseMessage(device: string, lease: DeviceLease): Lease {
  const { id, keyId, isOwner, name, note, begunAt, expiresAt, atEnd, snapshot, pool } = lease;
  return create(LeaseSchema, {
    ...{ id, device },
    holder: { name, ...(isOwner !== true && { keyId }) },
    begunAt: timestampFromDate(begunAt),
    expiresAt: timestampFromDate(expiresAt),
    atEnd: enumOf(LeaseEndSchema, atEnd),
    ...(note !== undefined && { note }),
    ...(snapshot !== undefined && { snapshot }),
    ...(pool !== undefined && { pool }),
  });
}
