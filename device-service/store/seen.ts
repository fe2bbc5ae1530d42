import type { Filter } from 'mongodb';
import type { DeviceDocument } from './device-document.js';

/** Devices by their names, or by a label as `key:value`. */
export interface SeenBy {
  names: readonly string[];
  label?: string;
}

/**
 * The devices that a caller may see, by the rule of kit/rpc/may-see.ts. It has its own ones: those that it made, and the phones of pools that
 * it has leased. It also has those of the `names`, or with the label.
 */
export interface Seen extends SeenBy {
  /** The key or session. */
  keyId: string;
  /** The member whose session it is, as the maker of devices. Absent: it is a key. */
  memberId?: string;
  /** `names` and the label are not regarded: every device is on the list. */
  isAll?: true;
  /** Limits the list to these, and to those that the member `madeBy` made. Absent: every device of the list. */
  within?: SeenBy & { madeBy?: string };
}

/** Limits a query to the devices that a caller may see. Undefined: to all. */
export function seenFilter(seen: Seen | undefined): Filter<DeviceDocument> {
  if (seen === undefined) return {};
  const { keyId, memberId } = seen;
  return {
    $or: [
      { createdBy: { $in: memberId === undefined ? [keyId] : [keyId, memberId] } },
      { 'lease.keyId': keyId, 'lease.pool': { $exists: true } },
      ...listed<DeviceDocument>(seen, { name: 'name', labels: 'labels', createdBy: 'createdBy' }),
    ],
  };
}

/** Returns whether a caller sees a device that is read already, by the same rule. */
export function isSeen({ isAll, within, keyId, memberId, ...list }: Seen, device: DeviceDocument): boolean {
  const { createdBy, lease } = device;
  if (createdBy === keyId || createdBy === memberId) return true;
  if (lease?.pool !== undefined && lease.keyId === keyId) return true;
  if (isAll !== true && !has(list, device)) return false;
  return within === undefined || has(within, device) || createdBy === within.madeBy;
}

function has({ names, label }: SeenBy, { name, labels = [] }: DeviceDocument): boolean {
  return names.includes(name) || (label !== undefined && labels.includes(label));
}

/** The fields of a collection that have what the rule needs. */
interface SeenFields {
  name: string;
  labels: string;
  createdBy: string;
}

/** Returns the branches of a filter that match what is on the caller's list, and within what its member sees. */
export function listed<T>({ isAll, within, ...list }: Seen, fields: SeenFields): Filter<T>[] {
  const onList = isAll === true ? [] : branches(list, fields);
  if (within === undefined) return onList;
  const { madeBy } = within;
  const inside = [...branches(within, fields), ...(madeBy === undefined ? [] : [{ [fields.createdBy]: madeBy }])];
  if (onList.length === 0) return inside;
  return [{ $and: [{ $or: onList }, { $or: inside }] }] as Filter<T>[];
}

function branches({ names, label }: SeenBy, fields: SeenFields): object[] {
  return [{ [fields.name]: { $in: [...names] } }, ...(label === undefined ? [] : [{ [fields.labels]: label }])];
}
