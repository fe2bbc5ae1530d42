import { createId } from '../../kit/text/ids.js';

/** A device that programs leave to a person. It is part of the device's document, so one update begins or ends it. */
export interface DeviceHandover {
  id: string;
  reason: string;
  /** The key or the owner's session that asked for it, with the name that the key had then. */
  requestedBy: { id: string; name: string };
  begunAt: Date;
  expiresAt: Date;
  /** The share by which a person without an account has the phone. */
  shareId: string;
  /** Who took the phone: the session, or the share. Absent: nobody has. */
  taken?: { at: Date; by: string };
}

/** A hand-over that is over. The device keeps its last ones. */
export interface PastHandover extends DeviceHandover {
  /** `by`: the key, session or share that ended it. Absent: its time, its lease or its device did. */
  ended: { at: Date; state: HandoverEndWord; by?: string; note?: string };
}

export type HandoverEndWord = 'done' | 'expired' | 'cancelled';

export interface HandoverEvent {
  id: string;
  type: 'handover.begun' | 'handover.ended';
  at: Date;
  handover: DeviceHandover | PastHandover;
}

/** How long a lease holds at least after a hand-over of its device, ms. Its holder then has time to go on. */
const LEASE_AFTER_MS = 60_000;

/** Returns until when a lease of the device holds at least. */
export function leaseLeastUntil({ expiresAt }: DeviceHandover): Date {
  return new Date(expiresAt.getTime() + LEASE_AFTER_MS);
}

/** Returns the event of a hand-over that begins, or of one that has ended. */
export function handoverEvent(handover: DeviceHandover | PastHandover): HandoverEvent {
  const at = 'ended' in handover ? handover.ended.at : handover.begunAt;
  const type = 'ended' in handover ? 'handover.ended' : 'handover.begun';
  return { id: createId('evt', at.getTime()), type, at, handover };
}

/** Returns the event of a hand-over that ends with its device, at the end of the deletion; undefined where there is none. */
export function handoverLost(handover: DeviceHandover | undefined, at: Date): HandoverEvent | undefined {
  return handover && handoverEvent({ ...handover, ended: { at, state: 'cancelled' } });
}
