import { newDeviceApps } from '../../devices/library/new-device-apps.js';
import type { Job } from '../../store/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { FleetContext } from '../fleet-context.js';

/**
 * Returns the state in which a pool makes the phone: its template and its apps. Undefined: the pool is gone, makes other phones by now, or
 * makes its phones from a model. Throws where an app is not there any more.
 */
export async function firstState(
  context: FleetContext,
  { accountId, pool }: DeviceDocument,
): Promise<Pick<Job, 'template' | 'apps'> | undefined> {
  const found = await context.pools.findByName(accountId, pool?.name ?? '');
  if (found === null || found._id !== pool?.id || found.version !== pool.version) return undefined;
  const { template: name, apps } = found.description;
  const template = name === undefined ? null : await context.templates.findByName(accountId, name);
  if (template?.state !== 'ready') return undefined;
  return { template: template._id, ...(await newDeviceApps(context, accountId, apps, { start: true })) };
}
