import type { Filter } from 'mongodb';
import { isSessionId } from './sessions.js';
import type { DeviceDocument } from './device-document.js';

/**
 * Matches devices that the key or session may change now; accounts/callers/leased.ts has the same rule with its texts. A device that is
 * handed over is for people alone. Otherwise the caller has the lease, or there is none and no pool keeps the device for leases.
 */
export function mayChange(keyId: string): Filter<DeviceDocument> {
  const absent = { $exists: false };
  const free = { lease: absent, pool: absent };
  const leased = { 'lease.keyId': keyId, 'lease.ended': absent };
  if (isSessionId(keyId)) return { $or: [{ 'handover.id': { $exists: true } }, free, leased] };
  return { handover: absent, $or: [free, leased] };
}
