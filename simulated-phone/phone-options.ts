import type { Clock } from '../kit/clock.js';
import type { Log } from '../kit/log.js';
import type { AppReader } from '../phone/apk/app-reader.js';
import type { TrustedKeys } from '../phone/adb/device/trusted-keys.js';
import type { PhoneConditions } from '../phone/conditions.js';
import type { PhoneExit } from '../phone/driver.js';
import type { HostSpace } from '../kit/host-space.js';
import type { Machine } from './machine.js';
import type { ProcessMemory } from './memory/memory-budget.js';
import type { SavedScreen } from './screen/saved-screen.js';
import type { InstalledPackage, PhoneIdentity, PhoneNetwork, PhoneSystem, Screen } from './system.js';
import type { VideoEncoders } from './video/video-encoder.js';

/** The parts of a simulated phone that others make, and where it lives. */
export interface SimulatedPhoneOptions {
  /** The phone's own folder; made when it is not there. A copy of it, taken while the phone is off, is a snapshot. */
  directory: string;
  identity: PhoneIdentity;
  exit: PhoneExit;
  /** Those that are absent are its own. */
  conditions?: PhoneConditions;
  clock: Clock;
  log: Log;
  /** 0 <= n < 1 */
  random: () => number;
  builtIns: readonly InstalledPackage[];
  /** Shared by all phones of a process. */
  appReader: Pick<AppReader, 'readVerified'>;
  /** Called at each boot. */
  createScreen: (system: PhoneSystem) => BootableScreen;
  /** Called at each boot and when the exit changes. */
  createNetwork: (exit: PhoneExit, system: PhoneSystem) => PhoneNetwork;
  /** Where adbd listens. Default 127.0.0.1, port 0: a free one, which is kept from boot to boot when it can be. */
  listen?: { host?: string; port?: number };
  /** adbd lets in only clients that own one of these keys. Absent: everyone. */
  trustedKeys?: TrustedKeys;
  /** Whether `adb reboot` and `reboot` in its shell work. Default: no. */
  rebootable?: boolean;
  /** Shared by all phones of a process. Default: one of this phone alone. */
  processMemory?: ProcessMemory;
  /** How long a boot takes, ms. Default 800. */
  bootMs?: number;
  /** Default 4 GiB. */
  storageBytes?: number;
  /** Shared by all phones of a process. Absent: a phone may fill the disk of its host. */
  hostSpace?: HostSpace | undefined;
  /** Shared by all phones of a process. Absent: phones have no video. */
  videoEncoders?: VideoEncoders | undefined;
  /** Reads the kernel that the phone shows, at each boot, as a phone in a container does. Absent: a kernel of its own. */
  hostKernel?: (() => Pick<Machine, 'bootId' | 'initStartTicks'>) | undefined;
  /** Properties that the phone has from the start of each boot, in place of the factory's. Absent: none. */
  bootProperties?: ReadonlyMap<string, string>;
  /** The protocol that adbd announces; lower it to imitate an old phone. Default: the newest version, 1 MiB. */
  protocol?: { version?: number; maxPayloadBytes?: number };
}

/** A screen that can show the boot, and is disposed of when the phone goes down. */
export type BootableScreen = Screen & {
  showBoot?: (stage: 'kernel' | 'system' | 'apps') => void;
  /** Boot is complete: the launcher comes up. */
  home?: () => void;
  /** The open apps as JSON, for a snapshot. */
  save?: () => SavedScreen;
  /** Opens the apps of a snapshot. */
  resume?: (saved: SavedScreen) => void;
  dispose?: () => void;
};
