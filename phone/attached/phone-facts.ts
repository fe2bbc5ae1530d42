import type { PhoneShell } from '../link/identity.js';
import { PhoneProblem } from './way/phone-way.js';

/** The facts that a phone reports of itself. They are kept, so that the phone's model is listed while the phone cannot be reached. */
export interface PhoneFacts {
  /** Distinguishes phones where serial numbers do not: `<ro.serialno>`, and the name of an emulator's virtual device. */
  hardware: string;
  android: string;
  screen: { width: number; height: number; density: number };
  memoryMb: number;
  /** Whether ADB works again after a reboot without anybody's help. */
  adbOutlivesReboot: boolean;
  emulator: boolean;
}

const PROPERTIES = [
  'ro.serialno',
  'ro.build.version.release',
  'persist.adb.tcp.port',
  'ro.kernel.qemu',
  'ro.boot.qemu',
  'ro.boot.qemu.avd_name',
  'ro.kernel.qemu.avd_name',
] as const;

const COMMAND = [
  ...PROPERTIES.map((name) => `echo "${name}=$(getprop ${name})"`),
  'wm size',
  'wm density',
  'cat /proc/meminfo',
].join('; ');

/** Reads the facts of a phone that has booted. Throws PhoneProblem when it does not report a needed fact. */
export async function readFacts(phone: PhoneShell, { timeoutMs }: { timeoutMs: number }): Promise<PhoneFacts> {
  const { stdout } = await phone.shell(COMMAND, { timeoutMs, maxBytes: 64 * 1024, doing: 'describe itself' });
  return parseFacts(Buffer.from(stdout).toString('utf8'));
}

export function parseFacts(text: string): PhoneFacts {
  const lines = text.split('\n').map((line) => line.trim());
  const value = (start: string): string =>
    lines
      .find((line) => line.startsWith(start))
      ?.slice(start.length)
      .trim() ?? '';
  const property = (name: (typeof PROPERTIES)[number]): string => value(`${name}=`);
  const serial = property('ro.serialno');
  const avd = property('ro.boot.qemu.avd_name') || property('ro.kernel.qemu.avd_name');
  const emulator = property('ro.kernel.qemu') === '1' || property('ro.boot.qemu') === '1';
  // The size that the operator has set takes precedence over the panel's size, because screenshots have the set size.
  const size = /^(\d+)x(\d+)$/.exec(value('Override size:') || value('Physical size:'));
  const density = Number(value('Override density:') || value('Physical density:'));
  const memoryKb = Number(/^(\d+) kB$/.exec(value('MemTotal:'))?.[1]);
  const android = property('ro.build.version.release');
  const missing = Object.entries({ serial, android, size, density, memory: memoryKb })
    .filter(([, found]) => found === '' || found === null || Number.isNaN(found) || found === 0)
    .map(([name]) => name);
  if (missing.length > 0)
    throw new PhoneProblem(`The phone cannot be used: it does not report its ${missing.join(', ')}.`, {
      lasting: true,
    });
  return {
    hardware: avd === '' ? serial : `${serial} ${avd}`,
    android,
    screen: { width: Number(size?.[1]), height: Number(size?.[2]), density },
    memoryMb: Math.round(memoryKb / 1024),
    adbOutlivesReboot: emulator || Number(property('persist.adb.tcp.port')) > 0,
    emulator,
  };
}
