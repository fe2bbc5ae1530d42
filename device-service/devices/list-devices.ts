import { wordOf } from '../../kit/wire-words.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { DeviceStateSchema } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import type { ListDevicesRequest } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { seenBy } from '../access/visibility.js';
import { cutPage, pageOf } from '../lists/page.js';
import type { DeviceStateWord } from '../store/device-document.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';

/** Lists the devices visible to the key, by name. */
export async function listDevices(
  devices: DeviceStore,
  caller: Caller,
  request: ListDevicesRequest,
): Promise<{ items: DeviceDocument[]; nextCursor?: string }> {
  const { limit, after } = pageOf(request);
  const seen = seenBy(caller);
  const found = await devices.list({
    accountId: caller.accountId,
    limit: limit + 1,
    ...(seen !== undefined && { seen }),
    ...(request.state !== undefined && { state: wordOf(DeviceStateSchema, request.state) as DeviceStateWord }),
    ...(after !== undefined && { afterName: after }),
  });
  return cutPage(found, limit, ({ name }) => name);
}
