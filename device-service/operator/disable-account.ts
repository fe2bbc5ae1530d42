import { ApiError } from '../../kit/errors/api-error.js';
import { acceptDelete } from '../devices/lifecycle/accept-delete.js';
import { acceptJob } from '../devices/jobs/accept-job.js';
import { openClaims } from '../accounts/quotas/quotas.js';
import { isUploadClaim } from '../accounts/quotas/upload-claims.js';
import type { AccountDocument } from '../store/accounts.js';
import type { DeviceDocument } from '../store/devices.js';
import type { FleetContext } from '../fleet/fleet-context.js';
import type { DevicesContext } from '../devices/devices-context.js';
import { dropMember } from '../accounts/members/drop-member.js';
import { OPERATOR } from '../record/operator.js';

/**
 * Disables an account. From here on none of its keys, sessions, groups and schedules is valid (active-account.ts), nothing is created,
 * and its running devices are stopped. It may be repeated after a crash in between, and for devices that were busy.
 */
export async function disableAccount(
  context: FleetContext,
  { _id, disabledAt }: AccountDocument,
): Promise<{ stopping: number; busy: string[] }> {
  await context.accounts.setDisabled(_id, disabledAt ?? new Date(context.clock.now()));
  await context.sessions.endInAccount(_id);
  context.forgetCallers();
  const running = (await devicesOf(context, _id)).filter(({ wanted }) => wanted === 'running');
  const begun = await Promise.all(running.map((device) => begin(context, device, 'stop')));
  return {
    stopping: begun.filter(Boolean).length,
    busy: running.filter((_, at) => !begun[at]).map(({ name }) => name),
  };
}

/**
 * Begins to delete the devices of a disabled account. Returns how many devices it still has, including those that are being created. Once
 * there are none, it removes everything else of the account, and the account itself last. So it can be repeated after a crash anywhere.
 * The ledger and the top-ups stay, as the operator's bookkeeping needs them. Documents that expire by themselves stay too
 * (docs/operating.md).
 */
export async function deleteAccount(context: FleetContext, account: AccountDocument): Promise<number> {
  const { _id, email, disabledAt } = account;
  if (disabledAt === undefined)
    throw new ApiError('busy', `The account "${email}" is in use. Disable it first: account disable --email ${email}`);
  // A creation claims its place in the account's document before it makes the device. No creation can begin any more.
  // So does an upload to the library, which would write an app of an account that is gone.
  const creating = openClaims(account, context.clock.now()).filter(
    ([id, { devices }]) => devices > 0 || isUploadClaim(id),
  );
  const devices = await devicesOf(context, _id);
  await Promise.all(devices.map((device) => begin(context, device, 'delete')));
  // The last job of a device is filed after the device is gone. Only a filed job is removed with the other jobs.
  const unfiled = await context.devices.findUnfiled(_id);
  const ids = new Set([...creating.map(([id]) => id), ...[...devices, ...unfiled].map((device) => device._id)]);
  if (ids.size > 0) return ids.size;
  await context.pools.deleteAll(_id);
  await removeTemplates(context, _id);
  await context.schedules.deleteAll(_id);
  await context.library.deleteAll(_id);
  await context.groups.deleteAll(_id);
  await context.sessions.endInAccount(_id);
  await context.invitations.deleteAll(_id);
  await removeMembers(context, _id);
  await context.timelineRoom.removeOfAccount(_id);
  await context.jobs.deleteAll(_id);
  await context.keys.deleteAll(_id);
  await context.accounts.remove(_id);
  return 0;
}

/** Removes the members of an account, and the people among them that are in no other account. */
async function removeMembers(context: FleetContext, accountId: string): Promise<void> {
  for (;;) {
    const page = await context.members.list(accountId, 100);
    for (const member of page) await dropMember(context, member);
    if (page.length < 100) return;
  }
}

/** Marks all templates for deletion. Each host removes its files, and the last one the document, after the account is gone. */
async function removeTemplates({ templates }: DevicesContext, accountId: string): Promise<void> {
  for (const template of await templates.findOfAccount(accountId)) {
    await templates.beginDelete(template);
    await templates.release(template._id);
    await templates.forget(template._id);
  }
}

async function devicesOf({ devices }: DevicesContext, accountId: string): Promise<DeviceDocument[]> {
  return devices.findByIds((await devices.findStorage(accountId)).map(({ _id }) => _id));
}

/** Begins a job. Returns false where the device is busy with another job, or is gone. */
async function begin(context: DevicesContext, device: DeviceDocument, kind: 'stop' | 'delete'): Promise<boolean> {
  try {
    if (kind === 'delete') await acceptDelete(context, device, OPERATOR);
    else await acceptJob(context, device, { kind, requestedBy: OPERATOR });
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.kind === 'busy' || error.kind === 'not_found')) return false;
    throw error;
  }
}
