import type { Caller, Visible } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { labelOf } from '../text/label-selector.js';

/** A device, or a record of one, as far as it decides who may see it. */
export interface SeenDevice {
  _id?: string;
  name: string;
  /** The key, or the member in a session, that made the device. */
  createdBy: string;
  /** Labels as `key:value`. */
  labels?: readonly string[];
  lease?: { keyId: string; pool?: string };
}

/**
 * Returns whether the caller may see the device. Every service decides by this rule; store/seen.ts of the device service has it as a query.
 *
 * - A share shows its own device.
 * - The caller's own devices are those that it made, and the phones of pools that it has leased. It always sees them.
 * - It sees the devices on its list or with its label. A key of a member sees only those of them that the member sees, too.
 */
export function maySee(caller: Caller, device: SeenDevice): boolean {
  if (caller.sharedPhoneId !== undefined) return device._id === caller.sharedPhoneId;
  if (isOwn(caller, device)) return true;
  const { allDevices, devices: names, devicesLabel: label, within, memberId } = caller;
  if (!allDevices && !has({ names, label }, device)) return false;
  return within === undefined || has(within, device) || device.createdBy === memberId;
}

/** Returns whether the caller sees every device of its account, those that are gone too. */
export function seesAll({ allDevices, within, sharedPhoneId }: Caller): boolean {
  return allDevices && within === undefined && sharedPhoneId === undefined;
}

/** Returns whether labels of devices decide what the caller sees. */
export function seesByLabel({ allDevices, devicesLabel, within }: Caller): boolean {
  return (!allDevices && devicesLabel !== undefined) || within?.label !== undefined;
}

/** Returns the id under which the caller makes things: that of the member in each session of the person, or that of the key. */
export function creatorOf({ scope, keyId, memberId }: Pick<Caller, 'scope' | 'keyId' | 'memberId'>): string {
  return scope === Scope.PERSON ? (memberId ?? keyId) : keyId;
}

/** Returns whether the caller made it, in whichever session. Older releases noted the session. */
export function hasMade(caller: Pick<Caller, 'scope' | 'keyId' | 'memberId'>, createdBy: string): boolean {
  return createdBy === caller.keyId || createdBy === creatorOf(caller);
}

function isOwn(caller: Caller, { createdBy, lease }: SeenDevice): boolean {
  return hasMade(caller, createdBy) || (lease?.pool !== undefined && lease.keyId === caller.keyId);
}

function has({ names, label }: Pick<Visible, 'names' | 'label'>, { name, labels }: SeenDevice): boolean {
  return names.includes(name) || (label !== undefined && labels?.includes(labelOf(label)) === true);
}
