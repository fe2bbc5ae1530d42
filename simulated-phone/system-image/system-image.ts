import type { InputDevice } from '../input-devices/input-device.js';
import { INPUT_DEVICE_PATHS } from '../input-devices/input-devices.js';
import type { Machine } from '../machine/machine.js';
import { PhoneFileError } from '../files/file-error.js';
import { procFiles } from './proc-files.js';
import { VirtualTree } from '../files/virtual-tree.js';

/** Returns the read-only part of a phone, with its programs. All phones of a process share one. */
export function systemImage(programs: Iterable<string>): VirtualTree<Machine> {
  const tree = new VirtualTree<Machine>();
  tree.add('/', { kind: 'directory' });
  for (const folder of FOLDERS) tree.add(folder, { kind: 'directory' });
  for (const [path, target] of Object.entries(LINKS)) tree.add(path, { kind: 'link', target });
  for (const device of ['null', 'zero', 'random'] as const) tree.add(`/dev/${device}`, { kind: 'device', device });
  tree.add('/dev/urandom', { kind: 'device', device: 'random' });
  for (const path of Object.values(INPUT_DEVICE_PATHS)) {
    const device = ({ inputDevices }: Machine): InputDevice => {
      const found = inputDevices.get(path);
      if (!found) throw new PhoneFileError('ENODEV', path);
      return found;
    };
    tree.add(path, { kind: 'input', device });
  }
  for (const program of programs) {
    const read = (): string => `#!/system/bin/sh\n# ${program} is part of the simulated system\n`;
    tree.add(`/system/bin/${program}`, { kind: 'file', permissions: 0o755, sizeBytes: read().length, read });
  }
  tree.add('/system/build.prop', {
    kind: 'file',
    permissions: 0o600,
    read: (machine) => machine.properties.entries().map(([name, value]) => `${name}=${value}\n`).join(''),
  }); // prettier-ignore
  for (const [path, read] of Object.entries(procFiles)) tree.add(path, { kind: 'file', read });
  return tree;
}

const FOLDERS = [
  '/acct', '/apex', '/config', '/data', '/dev', '/dev/socket', '/mnt', '/mnt/media_rw', '/odm', '/oem', '/proc', '/product',
  '/storage', '/storage/emulated', '/storage/self', '/sys', '/sys/class/power_supply/battery', '/system', '/system/app',
  '/system/bin', '/system/etc', '/system/fonts', '/system/framework', '/system/lib64', '/system/priv-app', '/system/xbin',
  '/vendor', '/vendor/bin',
]; // prettier-ignore

const LINKS: Record<string, string> = {
  '/bin': '/system/bin',
  '/d': '/sys/kernel/debug',
  '/etc': '/system/etc',
  '/mnt/sdcard': '/storage/self/primary',
  '/sdcard': '/storage/self/primary',
  '/storage/self/primary': '/storage/emulated/0',
};

/** Folders that are made on the disk at the first boot. */
export const DATA_FOLDERS = [
  '/data/app', '/data/data', '/data/local/tmp', '/data/misc', '/data/system',
  ...['Alarms', 'Android/data', 'Android/media', 'Android/obb', 'DCIM', 'Documents', 'Download', 'Movies', 'Music',
    'Notifications', 'Pictures', 'Podcasts', 'Ringtones'].map((name) => `/storage/emulated/0/${name}`),
]; // prettier-ignore
