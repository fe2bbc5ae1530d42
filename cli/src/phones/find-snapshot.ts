import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import type { Invocation } from '../command/command.js';
import { Failure, STATUS } from '../output/failure.js';
import { devicePath, itemsOf } from '../service/list-items.js';
import type { Device, Schemas } from '../service/types.js';

/** Finds a snapshot by DEVICE/ID, DEVICE/LABEL or its id alone. For an id alone the snapshots of all phones are looked through. */
export async function findSnapshot(
  calls: Pick<Invocation, 'signal'>,
  phone: CloudPhone,
  wanted: string,
): Promise<{ device: string; id: string }> {
  const slash = wanted.indexOf('/');
  const devices =
    slash === -1
      ? await itemsOf<Device>(calls, { phone }, { path: '/v1/devices', field: 'devices' })
      : [{ name: wanted.slice(0, slash) }];
  const key = wanted.slice(slash + 1);
  for (const { name } of devices) {
    const list = { path: devicePath(name, '/snapshots'), field: 'snapshots' };
    const snapshots = await itemsOf<Schemas['Snapshot']>(calls, { phone }, list);
    const found = snapshots.find(({ id, label, state }) => state === 'ready' && (id === key || label === key));
    if (found !== undefined) return { device: name, id: found.id };
  }
  throw new Failure(`No snapshot ${wanted} is ready. Name it as PHONE/ID or PHONE/LABEL.`, STATUS.notFound);
}
