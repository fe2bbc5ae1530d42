import { readFileSync, statSync } from 'node:fs';

/** Returns why an Android that needs binder cannot run on this host. Undefined: it can. */
export function binderObstacle(): string | undefined {
  let fileSystems: string;
  try {
    fileSystems = readFileSync('/proc/filesystems', 'utf8');
  } catch {
    return 'this host is not Linux';
  }
  if (/\tbinder$/m.test(fileSystems) || isDevice('/dev/binder')) return undefined;
  return 'the kernel has no binder: load it with "modprobe binder_linux devices=binder,hwbinder,vndbinder"';
}

function isDevice(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isCharacterDevice() === true;
}
