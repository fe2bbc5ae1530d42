import type { Filter } from 'mongodb';
import type { DeviceDocument } from './device-document.js';

/** The devices that a key may see: those of these names, those that the key made, and the phones of pools that it has leased. */
export interface Seen {
  names: readonly string[];
  keyId: string;
}

/** Limits a query to the devices that a key may see. Undefined: to all. */
export function seenFilter(seen: Seen | undefined): Filter<DeviceDocument> {
  if (seen === undefined) return {};
  const { names, keyId } = seen;
  return {
    $or: [
      { name: { $in: [...names] } },
      { createdBy: keyId },
      { 'lease.keyId': keyId, 'lease.pool': { $exists: true } },
    ],
  };
}
