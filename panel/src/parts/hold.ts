import type { Device } from '../api/client.ts';
import { recentMoment } from './time.tsx';

/**
 * Returns why a person cannot change a phone now: a program has leased it, or a pool keeps it ready. Undefined: nothing prevents it. The
 * lease of a person may be this person's own, so the service decides there. A phone that is handed over is for people, whoever has a lease.
 */
export function holdOf({ lease, pool, handover }: Device): string | undefined {
  if (handover !== undefined) return undefined;
  if (lease !== undefined) return lease.holder.key_id === undefined ? undefined : leaseText(lease);
  return pool === undefined ? undefined : `Kept ready by the pool ${pool}`;
}

/** Returns who has a phone, until when, and what for: "Leased by ci until 18:15 — nightly run". */
export function leaseText({ holder, expires_at, note }: NonNullable<Device['lease']>): string {
  const until = `Leased by ${holder.name} until ${recentMoment(expires_at)}`;
  return note === undefined ? until : `${until} — ${note}`;
}
