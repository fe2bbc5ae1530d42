import type { TimelineRoom } from '../timeline/timeline-room.js';
import { ApiError } from '../../kit/errors.js';
import { acceptJob, type JobParts } from '../jobs/accept-job.js';
import { openClaims } from '../quotas/quotas.js';
import type { AccountDocument, AccountStore } from '../store/accounts.js';
import type { DeviceDocument } from '../store/devices.js';
import type { GroupStore } from '../store/groups.js';
import type { JobStore } from '../store/jobs.js';
import type { KeyStore } from '../store/keys.js';
import type { ScheduleStore } from '../store/schedules.js';
import type { SessionStore } from '../store/sessions.js';

export interface DisableParts extends JobParts {
  accounts: AccountStore;
  sessions: SessionStore;
  /** Forgets the callers that this process remembers, so that those of the account are refused at once. */
  forgetCallers: () => void;
}

export interface DeleteParts extends DisableParts {
  groups: GroupStore;
  jobs: JobStore;
  keys: KeyStore;
  schedules: ScheduleStore;
  room: TimelineRoom;
}

/** The requester of jobs that the operator began. */
export const OPERATOR = 'operator';

/**
 * Disables an account: from here on no key, session, group or schedule of it is good (active-account.ts), nothing is created, and its
 * running devices are stopped. Safe to repeat: after a crash in between, and for the devices that were busy.
 */
export async function disableAccount(
  parts: DisableParts,
  { _id, disabledAt }: AccountDocument,
): Promise<{ stopping: number; busy: string[] }> {
  await parts.accounts.setDisabled(_id, disabledAt ?? new Date(parts.clock.now()));
  await parts.sessions.endAll(_id);
  parts.forgetCallers();
  const running = (await devicesOf(parts, _id)).filter(({ wanted }) => wanted === 'running');
  const begun = await Promise.all(running.map((device) => begin(parts, device, 'stop')));
  return {
    stopping: begun.filter(Boolean).length,
    busy: running.filter((_, at) => !begun[at]).map(({ name }) => name),
  };
}

/**
 * Begins to delete the devices of a disabled account, and returns how many it still has, those that are being created among them. Once
 * there are none it removes everything else of the account, and the account last, so that this can be repeated after a crash anywhere. The
 * ledger and top-ups, which are the operator's books, stay; so does what expires by itself (docs/operating.md).
 */
export async function deleteAccount(parts: DeleteParts, account: AccountDocument): Promise<number> {
  const { _id, email, disabledAt } = account;
  if (disabledAt === undefined)
    throw new ApiError('busy', `The account "${email}" is in use. Disable it first: account disable --email ${email}`);
  // A creation claims its place in the account's document before it makes the device. None can begin any more.
  const creating = openClaims(account, parts.clock.now()).filter(([, { devices }]) => devices > 0);
  const devices = await devicesOf(parts, _id);
  await Promise.all(devices.map((device) => begin(parts, device, 'delete')));
  // Their last job is filed once they are gone, and goes with the others.
  const unfiled = await parts.devices.findUnfiled(_id);
  const ids = new Set([...creating.map(([id]) => id), ...[...devices, ...unfiled].map((device) => device._id)]);
  if (ids.size > 0) return ids.size;
  await parts.schedules.deleteAll(_id);
  await parts.groups.deleteAll(_id);
  await parts.sessions.endAll(_id);
  await parts.room.removeOfAccount(_id);
  await parts.jobs.deleteAll(_id);
  await parts.keys.deleteAll(_id);
  await parts.accounts.remove(_id);
  return 0;
}

async function devicesOf({ devices }: JobParts, accountId: string): Promise<DeviceDocument[]> {
  return devices.findByIds((await devices.findStorage(accountId)).map(({ _id }) => _id));
}

/** Begins a job. Returns false where the device is busy with another, or is gone. */
async function begin(parts: JobParts, device: DeviceDocument, kind: 'stop' | 'delete'): Promise<boolean> {
  try {
    await acceptJob(parts, device, { kind, requestedBy: OPERATOR });
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.kind === 'busy' || error.kind === 'not_found')) return false;
    throw error;
  }
}
