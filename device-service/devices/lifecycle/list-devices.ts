import { readPage } from '../../../kit/call/page.js';
import { wordOf } from '../../../kit/text/wire-words.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { DeviceStateSchema } from '../../../proto/gen/cloudphone/device/v1/device_pb.js';
import type { ListDevicesRequest } from '../../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { seenBy } from '../../accounts/callers/visibility.js';
import type { DeviceStateWord } from '../../store/device-document.js';
import type { DeviceDocument, DeviceStore } from '../../store/devices.js';

/** Lists the devices visible to the key, by name. */
export function listDevices(
  devices: DeviceStore,
  caller: Caller,
  request: ListDevicesRequest,
): Promise<{ items: DeviceDocument[]; nextCursor?: string }> {
  const { accountId } = caller;
  const seen = seenBy(caller);
  const state = request.state === undefined ? undefined : (wordOf(DeviceStateSchema, request.state) as DeviceStateWord);
  return readPage(
    request,
    (limit, afterName) => devices.list({ accountId, seen, state, label: request.label, afterName, limit }),
    ({ name }) => name,
  );
}
