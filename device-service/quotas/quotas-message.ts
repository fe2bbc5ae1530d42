import { create } from '@bufbuild/protobuf';
import { type Quotas, QuotasSchema } from '../../proto/gen/cloudphone/access/v1/account_pb.js';
import type { QuotaSettings, QuotaUse } from './quotas.js';

/** The quotas of an account as its owner sees them. */
export function quotasMessage(use: QuotaUse, most: QuotaSettings): Quotas {
  return create(QuotasSchema, {
    devices: { used: use.devices, ...bound(most.devices) },
    storageBytes: { used: use.phoneBytes + use.snapshotBytes, ...bound(most.storageBytes) },
  });
}

function bound(most: number): { most?: number } {
  return most === 0 ? {} : { most };
}
