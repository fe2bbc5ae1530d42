import { ApiError } from '../../../kit/errors/api-error.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { TemplateDocument } from '../../store/templates.js';
import type { DevicesContext } from '../devices-context.js';
import { findTemplate } from './templates.js';

type Parts = Pick<DevicesContext, 'templates' | 'devices' | 'pools'>;

/**
 * Deletes a template. The deletion marks it, and then looks once more for what uses it. A device is inserted first, and its job then checks the
 * mark. So when both come at the same time, at least one is refused.
 *
 * Each host that has the files removes them in its next sweep, this one at once. A crash may leave a marked template, which the sweep
 * completes.
 */
export async function deleteTemplate(context: DevicesContext, caller: Caller, name: string): Promise<void> {
  const { templates, hostId, log } = context;
  const template = await findTemplate(context, caller, name);
  const saving = await whySaved(context, template);
  if (saving !== undefined) throw saving;
  // A mark would fail a job that reads the template just now, so one that is known to be of use is not marked.
  const known = await whyUsed(context, template);
  if (known !== undefined) throw known;
  if (!(await templates.beginDelete(template))) throw changed(name);
  const use = await whyUsed(context, template);
  if (use !== undefined && (await templates.keep(template._id))) throw use;
  await templates.release(template._id);
  await removeTemplate(context, { ...template, state: 'deleting' }).catch((error: unknown) =>
    log.warn(
      { template: template._id, host: hostId, err: error },
      'could not remove the files of a template; trying again later',
    ),
  );
}

/** Returns why a template cannot be deleted while it is being saved; undefined when no job does that. */
export async function whySaved(
  { devices }: Pick<Parts, 'devices'>,
  { name, state, phoneId, jobId }: TemplateDocument,
): Promise<ApiError | undefined> {
  if (state !== 'saving' || (await devices.findById(phoneId))?.job?.id !== jobId) return undefined;
  return inUse(name, `it is being saved. Wait for the job: GET /v1/jobs/${jobId}?wait_s=30`);
}

/** Returns why a template is to stay; undefined when nothing uses it. */
export async function whyUsed(
  { devices, pools }: Parts,
  { _id, accountId, name }: TemplateDocument,
): Promise<ApiError | undefined> {
  const device = await devices.findByTemplate(_id);
  if (device?.job !== undefined) {
    const { id } = device.job;
    return inUse(
      name,
      `the device "${device.name}" is being made of it. Wait for the job: GET /v1/jobs/${id}?wait_s=30`,
    );
  }
  const users = await pools.usersOfTemplate(accountId, name);
  if (users.length === 0) return undefined;
  const names = users.map((user) => `"${user}"`).join(', ');
  return inUse(name, `pools make their phones of it: ${names}. Change or delete them first`);
}

/** Removes the files of a template that goes from this host, and its document with the last host. */
export async function removeTemplate(
  { templates, drivers, hostId }: Pick<DevicesContext, 'templates' | 'drivers' | 'hostId'>,
  { _id, driver, hosts }: TemplateDocument,
): Promise<void> {
  if (hosts.some((host) => host.hostId === hostId)) {
    await drivers.of({ driver }).snapshots?.delete(_id);
    await templates.removedAt(_id, hostId);
  }
  await templates.forget(_id);
}

function inUse(name: string, why: string): ApiError {
  return new ApiError('busy', `The template "${name}" cannot be deleted: ${why}.`);
}

function changed(name: string): ApiError {
  return new ApiError('busy', `The template "${name}" has just been changed by others. Try again.`);
}
