import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLog } from '../../../kit/log/log.js';
import { type ImageBasedPhone, PhoneFolders } from '../../image-based/phone-folders.js';
import type { ContainerModel } from '../../image-based/model.js';
import { openDiskLimits } from '../open-disk-limits.js';

/** The size of each phone, MiB. */
export const MAX_MIB = 8;

/** Opens the folders of phones of a directory, with the limits that its file system has. */
export async function openFolders(phones: string): Promise<{ folders: PhoneFolders; way: string }> {
  const limits = await openDiskLimits({ phones, log: silentLog });
  const folders = new PhoneFolders(phones, limits);
  await folders.clean();
  return { folders, way: limits.way };
}

export async function makePhone(folders: PhoneFolders, phoneId: string): Promise<ImageBasedPhone> {
  const made: ContainerModel = {
    ...{ driver: 'container', model: 'none', name: 'None', android: ['14'], image: 'none', adbPort: 5555, args: [] },
    ...{ screen: { width: 1, height: 1, density: 1 }, memoryMb: 1, cpus: 1, diskMb: MAX_MIB, bootLimitS: 1 },
    ...{ privileged: false, capabilities: [], binder: false, pids: 1 },
  };
  const exit = { type: 'direct', country: 'us', timezone: 'UTC' };
  const phone = { phoneId, name: phoneId, model: made.model, android: '14', exit, made, digest: '', serial: '' };
  await folders.create({ ...phone, on: false }, ({ data }) => fill(data));
  return { ...phone, on: false, data: folders.data(phoneId) };
}

export async function fill(data: string): Promise<void> {
  for (const name of ['one', 'two']) await writeFile(join(data, name), Buffer.alloc(100_000, 1));
}

/** Makes, bounds, restores and deletes phones without end, and prints a line before each step. A test kills this process anywhere. */
async function changePhones(phones: string, round: string): Promise<never> {
  const { folders } = await openFolders(phones);
  const step = (): void => void process.stdout.write('step\n');
  for (let at = 0; ; at++) {
    step();
    const phone = await makePhone(folders, `ph_${round}_${at}`);
    step();
    await folders.bound(phone);
    step();
    await folders.replaceData(phone.phoneId, fill);
    step();
    if (at % 3 !== 0) await folders.delete(phone.phoneId);
  }
}

const [, script = '', phones, round = ''] = process.argv;
if (script.endsWith('change-phones.js') && phones !== undefined) await changePhones(phones, round);
