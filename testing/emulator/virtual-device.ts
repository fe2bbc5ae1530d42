import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScreenSize } from '../../phone/driver.js';

export interface VirtualDevice {
  name: string;
  folder: string;
  screen: ScreenSize;
  memoryMb: number;
  /** The Android version, such as `14`, from the system image's build.prop. */
  android: string;
}

/** Reads an AVD as the emulator does, from ANDROID_AVD_HOME; throws the emulator's line where it cannot be used. */
export function readVirtualDevice(
  name: string,
  { avdHome, androidHome }: { avdHome: string; androidHome: string },
): VirtualDevice {
  const ini = join(avdHome, `${name}.ini`);
  if (!existsSync(ini)) throw new Error(`Unknown AVD name [${name}], use -list-avds to see valid list.`);
  const folder = readIni(ini).get('path') ?? '';
  const config = readIni(join(folder, 'config.ini'));
  const image = join(androidHome, config.get('image.sysdir.1') ?? '');
  if (!existsSync(join(image, 'system.img'))) {
    throw new Error('Broken AVD system path. Check your ANDROID_SDK_ROOT value!');
  }
  const number = (key: string): number => {
    const value = Number(config.get(key));
    if (!Number.isInteger(value) || value <= 0) throw new Error(`config.ini: ${key} is "${config.get(key) ?? ''}"`);
    return value;
  };
  return {
    name,
    folder,
    screen: { width: number('hw.lcd.width'), height: number('hw.lcd.height'), density: number('hw.lcd.density') },
    memoryMb: number('hw.ramSize'),
    android: readIni(join(image, 'build.prop')).get('ro.build.version.release') ?? '',
  };
}

/** Takes the AVD for this process, as the emulator does; a lock of a process that is gone stays in the way. */
export function lockDevice({ folder }: VirtualDevice): void {
  const lock = join(folder, 'hardware-qemu.ini.lock');
  if (existsSync(lock)) throw new Error('Running multiple emulators with the same AVD is an experimental feature. Please use -read-only flag to enable this feature.'); // prettier-ignore
  mkdirSync(lock);
  writeFileSync(join(lock, 'pid'), String(process.pid));
  process.on('exit', () => rmSync(lock, { recursive: true, force: true }));
}

/** Makes the disks at the first start. The overlay holds the whole path of its base, so an AVD that was moved does not start. */
export function openDisks({ folder }: VirtualDevice): void {
  const [base, overlay] = [join(folder, 'userdata-qemu.img'), join(folder, 'userdata-qemu.img.qcow2')];
  if (!existsSync(base)) {
    writeFileSync(base, 'base\n');
    writeFileSync(overlay, base);
  }
  const backing = readFileSync(overlay, 'utf8');
  if (!existsSync(backing)) throw new Error(`Could not open backing file: Could not open '${backing}'`);
}

function readIni(path: string): Map<string, string> {
  return new Map(
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.includes('='))
      .map((line) => [line.slice(0, line.indexOf('=')).trim(), line.slice(line.indexOf('=') + 1).trim()]),
  );
}
