import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PhoneModel } from '../driver.js';
import type { SystemImage } from './system-image.js';

/** An Android virtual device, as the emulator reads it from two files. */
export interface Avd {
  name: string;
  image: SystemImage;
  model: Pick<PhoneModel, 'name' | 'screen' | 'memoryMb'> & { cpus: number; diskMb: number; gpu: string };
}

/**
 * Writes the files of an AVD: `<home>/<name>.ini`, which names its folder as the emulator sees it, and config.ini in that folder.
 * Written before each start, as a clone has the config.ini of its source.
 */
export async function writeAvd(avd: Avd, paths: { home: string; data: string; dataSeen: string }): Promise<void> {
  await mkdir(paths.home, { recursive: true, mode: 0o700 });
  await writeFile(join(paths.home, `${avd.name}.ini`), iniText({ 'avd.ini.encoding': 'UTF-8', path: paths.dataSeen, target: avd.image.platform })); // prettier-ignore
  await writeFile(join(paths.data, 'config.ini'), iniText(configOf(avd)));
}

/**
 * Removes the locks that an emulator left behind when it was killed. The next emulator would take those locks for another running instance
 * of the AVD, and end. Only called while no emulator of this AVD runs.
 */
export async function removeLocks(data: string): Promise<void> {
  const locks = (await readdir(data)).filter((name) => name.endsWith('.lock'));
  // Some versions of the emulator make a folder as the lock.
  await Promise.all(locks.map((name) => rm(join(data, name), { recursive: true, force: true })));
}

function configOf({ name, image, model }: Avd): Record<string, string | number> {
  const { width, height, density } = model.screen;
  return {
    'avd.ini.encoding': 'UTF-8',
    AvdId: name,
    'avd.ini.displayname': name,
    'PlayStore.enabled': 'false',
    'abi.type': image.abi,
    'hw.cpu.arch': archOf(image),
    'hw.cpu.ncore': Math.max(1, Math.ceil(model.cpus)),
    'hw.ramSize': model.memoryMb,
    'vm.heapSize': 256,
    'disk.dataPartition.size': `${model.diskMb}M`,
    'hw.lcd.width': width,
    'hw.lcd.height': height,
    'hw.lcd.density': density,
    'hw.initialOrientation': 'portrait',
    'skin.name': `${width}x${height}`,
    'skin.path': '_no_skin',
    showDeviceFrame: 'no',
    'hw.gpu.enabled': 'yes',
    'hw.gpu.mode': model.gpu,
    'hw.keyboard': 'yes',
    'hw.mainKeys': 'no',
    'hw.sdCard': 'no',
    'hw.audioInput': 'no',
    'hw.camera.back': 'none',
    'hw.camera.front': 'none',
    // A state in memory belongs to one build of the emulator and one processor, and is never saved: see -no-snapshot.
    'fastboot.forceColdBoot': 'yes',
    'fastboot.forceFastBoot': 'no',
    'image.sysdir.1': image.folder,
    'tag.id': image.tag,
    target: image.platform,
  };
}

/** Returns the processor architecture of an image, as config.ini names it. */
export function archOf({ abi }: SystemImage): string {
  if (abi === 'arm64-v8a') return 'arm64';
  return abi;
}

/** Writes one setting per line. A line break in a value would begin another setting, so a space replaces it. */
function iniText(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([key, value]) => `${key}=${String(value).replaceAll(/[\r\n]/g, ' ')}\n`)
    .join('');
}
