import { ApiError } from '../../../kit/errors/api-error.js';
import { createId } from '../../../kit/text/ids.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { maySee } from '../../../kit/rpc/may-see.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { SnapshotDocument } from '../../store/snapshots.js';
import { TEMPLATE_ID_PREFIX, type TemplateDocument, templateNameKey } from '../../store/templates.js';
import type { DevicesContext } from '../devices-context.js';
import { canMakeTemplates } from '../hosts/place-phone.js';
import { acceptJob, assertMayBegin } from '../jobs/accept-job.js';
import { MAX_TEMPLATES } from '../limits.js';
import { assertSnapshotReady } from '../../record/snapshot-ready.js';

/**
 * Accepts a job that makes a template from a snapshot. The template's document is written first, which takes the name, and names the job.
 * A crash before the job is accepted leaves a template that the sweep marks as failed.
 */
export async function acceptTemplate(
  context: DevicesContext,
  caller: Caller,
  { snapshot: snapshotId, name }: { snapshot: string; name: string },
): Promise<{ device: DeviceDocument; template: TemplateDocument }> {
  const { templates, quotas, clock } = context;
  const { snapshot, device } = await findOwnSnapshot(context, caller, snapshotId);
  assertSnapshotReady(snapshot);
  if ((await templates.findByName(caller.accountId, name)) !== null) throw taken(name);
  assertMayBegin(device, 'template');
  if (!(await canMakeTemplates(context, device))) {
    const message = `The host of "${device.name}" makes no templates now. Try again once its service runs, in this version.`;
    throw new ApiError('unavailable', message, { retryAfterS: 60 });
  }
  if ((await templates.count(caller.accountId)) >= MAX_TEMPLATES)
    throw new ApiError('rate_limited', `An account has at most ${MAX_TEMPLATES} templates. Delete one first.`);
  const nowMs = clock.now();
  const [templateId, jobId] = [createId(TEMPLATE_ID_PREFIX, nowMs), createId('job', nowMs)];
  const template = documentOf(snapshot, device, { _id: templateId, jobId, name, createdAt: new Date(nowMs) });
  const need = { id: templateId, devices: 0, bytes: snapshot.sizeBytes ?? 0 };
  return quotas.within(caller.accountId, need, async () => {
    if (!(await templates.insert(template))) throw taken(name);
    const work = { kind: 'template' as const, templateId };
    const request = { id: jobId, kind: 'template' as const, requestedBy: caller.keyId, snapshot: snapshotId, work };
    try {
      return { device: await acceptJob(context, device, request), template };
    } catch (error) {
      if (error instanceof ApiError) await drop(context, template);
      throw error;
    }
  });
}

/** Removes the document of a template whose job was refused. After a crash, the sweep marks it as failed. */
async function drop({ templates, hostId, log }: DevicesContext, template: TemplateDocument): Promise<void> {
  try {
    if (!(await templates.beginDelete(template))) return;
    await templates.release(template._id);
    for (const host of template.hosts) await templates.removedAt(template._id, host.hostId);
  } catch (error) {
    log.warn({ template: template._id, host: hostId, err: error }, 'a template whose job was refused stays as failed');
  }
}

/** Returns the snapshot, where the caller sees its device. A text says no more of the snapshots of others than of those that are not there. */
async function findOwnSnapshot(
  { snapshots, devices }: DevicesContext,
  caller: Caller,
  id: string,
): Promise<{ snapshot: SnapshotDocument; device: DeviceDocument }> {
  const snapshot = await snapshots.find(id);
  const device = snapshot === null ? null : await devices.findById(snapshot.phoneId);
  if (snapshot !== null && snapshot.state !== 'deleting' && device !== null && device.gone !== true) {
    if (device.accountId === caller.accountId && maySee(caller, device)) return { snapshot, device };
  }
  const message = 'There is no such snapshot. GET /v1/devices/{name}/snapshots lists those of a device.';
  throw new ApiError('not_found', message);
}

function documentOf(
  { _id: snapshotId, accountId, phoneId, driver, model, android, sizeBytes }: SnapshotDocument,
  { hostId }: DeviceDocument,
  own: Pick<TemplateDocument, '_id' | 'jobId' | 'name' | 'createdAt'>,
): TemplateDocument {
  return {
    ...own,
    ...{ accountId, snapshotId, phoneId, driver, model, android },
    nameKey: templateNameKey(accountId, own.name),
    state: 'saving',
    ...(sizeBytes !== undefined && { expectedBytes: sizeBytes }),
    hosts: [{ hostId }],
  };
}

function taken(name: string): ApiError {
  return new ApiError('bad_request', `name: "${name}" is taken by another template of this account. Choose another.`);
}
