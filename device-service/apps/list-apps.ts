import type { MessageInitShape } from '@bufbuild/protobuf';
import { pageOfAll } from '../../kit/page.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { InstalledAppSchema } from '../../proto/gen/cloudphone/device/v1/app_pb.js';
import type { ListAppsRequest } from '../../proto/gen/cloudphone/device/v1/app_service_pb.js';
import { findVisibleDevice } from '../access/visibility.js';
import { noteUse } from '../devices/idle-stop.js';
import { endpointOf } from '../phones/locate-phone.js';
import type { AppParts } from './change-apps.js';
import { installedApps } from './installed-apps.js';

/** The apps on a running phone, by package, with the names that the phone or else the catalogue has for them. */
export async function listApps(
  { devices, catalogue, openLink, clock }: AppParts,
  caller: Caller,
  request: ListAppsRequest,
  signal: AbortSignal,
): Promise<{ items: MessageInitShape<typeof InstalledAppSchema>[]; nextCursor?: string }> {
  const device = await findVisibleDevice(devices, caller, request.name);
  const endpoint = endpointOf(device);
  await noteUse({ devices, clock }, device);
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
