import type { HostDocument } from '../../store/hosts.js';
import { HOST_LEASE_MS } from '../limits.js';

/** Returns whether a host is alive. This host is alive even if its lease lapsed while the database was away. */
export function isAlive({ _id, leaseUntil }: HostDocument, hostId: string, nowMs: number): boolean {
  // A host counts as alive a little longer than its lease, as hosts' clocks differ.
  return _id === hostId || leaseUntil.getTime() + HOST_LEASE_MS / 3 > nowMs;
}
