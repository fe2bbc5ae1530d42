import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import type { Invocation } from '../command/command.js';
import { print } from '../command/print.js';
import { itemsOf } from '../service/list-items.js';
import type { Device } from '../service/types.js';
import { RUN_LABEL } from './run-label.js';
import { whenFree } from './when-free.js';

/**
 * Deletes phones of runs that were killed. While a run uses a phone it is on; after the run was killed the service stops it for want of use.
 * So those that are off, or have failed, are left over.
 */
export async function sweep(invocation: Invocation, phone: CloudPhone): Promise<void> {
  const query = { label: `${RUN_LABEL.key}:${RUN_LABEL.value}` };
  const all = await itemsOf<Device>(invocation, { phone }, { path: '/v1/devices', query, field: 'devices' });
  const devices = all.filter(({ state, job }) => job === undefined && (state === 'stopped' || state === 'failed'));
  const { wait, nowMs } = invocation;
  for (const { name } of devices) {
    const params = { path: { name } };
    await whenFree({ phone, wait, nowMs }, name, () => phone.delete('/v1/devices/{name}', { params }));
  }
  const text = devices.map(({ name }) => `${name} is deleted.`).join('\n');
  const used = all.length - devices.length;
  print(invocation, { devices }, text === '' ? `Nothing is left over. ${used} phones of runs are in use.` : text);
}
