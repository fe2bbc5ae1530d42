import { ApiError } from '../../../kit/errors/api-error.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { findDeviceToChange } from '../../accounts/callers/leased.js';
import { acceptJob, assertMayBegin } from '../jobs/accept-job.js';
import { endpointOf } from '../phones/locate-phone.js';
import type { DeviceDocument } from '../../store/devices.js';
import { chooseApp, noteUses } from '../library/choose-app.js';
import { installedApps } from './installed-apps.js';
import type { DevicesContext } from '../devices-context.js';

/** Accepts the install of an app of the catalogue, or of the account's library, on the device `name`. */
export async function acceptInstall(
  context: DevicesContext,
  caller: Caller,
  name: string,
  app: string,
): Promise<DeviceDocument> {
  const device = await findDeviceToChange(context.devices, caller, name);
  const chosen = await chooseApp(context, device.accountId, app, 'app');
  const work = { kind: 'install' as const, package: chosen.package, from: chosen.from };
  const accepted = await acceptJob(context, device, {
    kind: 'install',
    requestedBy: caller.keyId,
    groupId: caller.groupId,
    work,
  });
  await noteUses(context, device.accountId, [chosen]);
  return accepted;
}

/** Accepts the removal of an app that is on the phone and not a part of its system. */
export async function acceptUninstall(
  context: DevicesContext,
  caller: Caller,
  name: string,
  packageName: string,
  signal: AbortSignal,
): Promise<DeviceDocument> {
  const device = await findDeviceToChange(context.devices, caller, name);
  assertMayBegin(device, 'uninstall');
  const link = await context.openLink(endpointOf(device));
  const apps = await installedApps(link, signal).finally(() => link.close());
  const found = apps.find((one) => one.package === packageName);
  if (found === undefined) {
    const message = `There is no app "${packageName}" on "${name}". GET /v1/devices/${name}/apps has the list.`;
    throw new ApiError('not_found', message);
  }
  if (found.system) {
    const message = `package: "${packageName}" is an app of the system and cannot be removed.`;
    throw new ApiError('bad_request', message);
  }
  const work = { kind: 'uninstall' as const, package: packageName };
  return acceptJob(context, device, { kind: 'uninstall', requestedBy: caller.keyId, work });
}
