import type { GroupStore } from '../store/groups.js';
import type { RecordingDocument } from '../store/recordings.js';

/**
 * Returns whether a recording was begun by a step of a group that has ended on the phone. The recorder looks, not the group: so a recording
 * ends too where the process of the group is gone, or its maker has lost the rights to the phone.
 */
export async function isGroupOver(
  groups: Pick<GroupStore, 'find'>,
  { groupId, phoneId }: Pick<RecordingDocument, 'groupId' | 'phoneId'>,
): Promise<boolean> {
  if (groupId === undefined) return false;
  const group = await groups.find(groupId);
  if (group === null || group.outcome !== undefined) return true;
  const device = group.devices.find((one) => one.phoneId === phoneId);
  return device === undefined || !(device.state === 'waiting' || device.state === 'running');
}
