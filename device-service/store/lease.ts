import { createId } from '../../kit/text/ids.js';

/** A device that one caller has for itself. It is part of the device's document, so one update takes the device or frees it. */
export interface DeviceLease {
  id: string;
  /** The key or the owner's session that has the device. */
  keyId: string;
  /** The holder is a session of the account's owner. */
  isOwner?: true;
  /** The member in the session. Absent: the holder is a key, or the lease is of the release before. */
  memberId?: string;
  /** The name of the key when the lease began. */
  name: string;
  note?: string;
  begunAt: Date;
  expiresAt: Date;
  atEnd: LeaseEndWord;
  /** The snapshot to go back to at the end (atEnd restore). */
  snapshot?: string;
  /** Name of the pool that the phone is of. */
  pool?: string;
  /** The lease is over, and nobody has the device: the job of its end has not begun yet. */
  ended?: { at: Date; reason: LeaseReasonWord };
}

export type LeaseEndWord = 'keep' | 'stop' | 'restore' | 'delete';
export type LeaseReasonWord = 'released' | 'expired' | 'ended_by_owner' | 'device_lost';

/** The pool that a device belongs to. It is part of the device's document. */
export interface DevicePool {
  /** The pool's id, which is never used again, unlike its name. */
  id: string;
  name: string;
  /** The version of the pool's description that the phone was made from. */
  version: number;
  /** The job that makes the phone. */
  jobId: string;
  /** Since when the phone is ready for a lease. Absent: it is not yet. */
  readySince?: Date;
  /** Since when health checks of the new phone fail. Absent: none has failed. */
  failingSince?: Date;
  /** Why the phone is of no use to the pool, which deletes it. Absent: it is not known to be. */
  unfit?: string;
}

/** Matches the devices that are leased. Queries repeat it word for word, so that the partial index serves them. */
export const LEASED = { 'lease.id': { $exists: true } };

export interface LeaseEvent {
  id: string;
  type: 'lease.begun' | 'lease.ended';
  at: Date;
  /** The lease when it began, or ended. */
  lease: DeviceLease;
  /** Why it ended. */
  reason?: LeaseReasonWord;
}

/** Returns the event of a lease that begins or, with `reason`, ends at `at`. */
export function leaseEvent(lease: DeviceLease, at: Date, reason?: LeaseReasonWord): LeaseEvent {
  const id = createId('evt', at.getTime());
  return { id, at, lease, ...(reason === undefined ? { type: 'lease.begun' } : { type: 'lease.ended', reason }) };
}

/** Returns the event of a lease that ends with its device, at the end of the deletion; undefined where nobody has one. */
export function leaseLost(lease: DeviceLease | undefined, at: Date): LeaseEvent | undefined {
  return lease && leaseEvent(lease, at, lease.ended?.reason ?? 'device_lost');
}
