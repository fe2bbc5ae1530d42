import type { MessageInitShape } from '@bufbuild/protobuf';
import { pageOfAll } from '../../../kit/call/page.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { InstalledAppSchema } from '../../../proto/gen/cloudphone/device/v1/app_pb.js';
import type { ListAppsRequest } from '../../../proto/gen/cloudphone/device/v1/app_service_pb.js';
import { findVisibleDevice } from '../../accounts/callers/visibility.js';
import { noteUse } from '../phones/note-use.js';
import { endpointOf } from '../phones/locate-phone.js';
import { installedApps } from './installed-apps.js';
import type { DevicesContext } from '../devices-context.js';

/** Returns the apps on a running phone, by package. Their names come from the phone, or else from the catalogue. */
export async function listApps(
  context: DevicesContext,
  caller: Caller,
  request: ListAppsRequest,
  signal: AbortSignal,
): Promise<{ items: MessageInitShape<typeof InstalledAppSchema>[]; nextCursor?: string }> {
  const { devices, catalogue, openLink } = context;
  const device = await findVisibleDevice(devices, caller, request.name);
  const endpoint = endpointOf(device);
  await noteUse(context, device);
  const link = await openLink(endpoint);
  const apps = await installedApps(link, signal).finally(() => link.close());
  const names = new Map((await catalogue.list()).map((entry) => [entry.package, entry.name]));
  const { items, ...page } = pageOfAll(apps, request, (app) => app.package);
  return {
    ...page,
    items: items.map(({ package: name, label, version, system }) => ({
      ...{ package: name, version, system },
      name: label ?? names.get(name) ?? name,
    })),
  };
}
