import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import type { AppReader } from '../../phone/apk/app-reader.js';
import type { TrustedKeys } from '../../phone/adb/device/trusted-keys.js';
import type { PhoneConditions } from '../../phone/conditions.js';
import type { PhoneExit } from '../../phone/driver.js';
import type { HostSpace } from '../../kit/files/host-space.js';
import type { Machine } from '../machine/machine.js';
import type { Datagrams } from '../network/datagrams.js';
import type { ProcessMemory } from '../memory/memory-budget.js';
import type { SavedScreen } from '../screen/saved-screen.js';
import type { InstalledPackage, PhoneIdentity, PhoneNetwork, PhoneSystem, Screen } from '../system/system.js';
import type { VideoEncoders } from '../../phone/video/video-encoder.js';

/** The parts of a simulated phone that others make, and its folder. */
export interface SimulatedPhoneOptions {
  /** The phone's own folder; made when it is not there. A copy of it, taken while the phone is off, is a snapshot. */
  directory: string;
  identity: PhoneIdentity;
  exit: PhoneExit;
  /** Conditions to set. A condition that is absent is the phone's own. */
  conditions?: PhoneConditions;
  clock: Clock;
  log: Log;
  /** Returns a random number, 0 <= n < 1. */
  random: () => number;
  builtIns: readonly InstalledPackage[];
  /** The reader of APKs, which all phones of a process share. */
  appReader: Pick<AppReader, 'readVerified'>;
  /** Is called at each boot. */
  createScreen: (system: PhoneSystem) => BootableScreen;
  /** Is called at each boot and when the exit changes. */
  createNetwork: (exit: PhoneExit, system: PhoneSystem) => PhoneNetwork;
  /**
   * The address on which adbd listens. Default: 127.0.0.1 and port 0, which picks a free port and keeps it from boot to boot when it can.
   */
  listen?: { host?: string; port?: number };
  /** The keys whose owners adbd accepts. Absent: it accepts every client. */
  trustedKeys?: TrustedKeys;
  /** Whether `adb reboot` and `reboot` in its shell work. Default: no. */
  rebootable?: boolean;
  /** The memory that all phones of a process share. Default: a memory for this phone alone. */
  processMemory?: ProcessMemory;
  /** How long a boot takes, ms. Default 800. */
  bootMs?: number;
  /** Size of the storage, bytes. Default 4 GiB. */
  storageBytes?: number;
  /** The host's room, which all phones of a process share. Absent: a phone may fill the disk of its host. */
  hostSpace?: HostSpace | undefined;
  /** The encoders of video, which all phones of a process share. Absent: phones have no video. */
  videoEncoders?: VideoEncoders | undefined;
  /** Returns facts of the host's kernel, which a phone in a container shows. Is called at each boot. Absent: the phone has its own. */
  hostKernel?: (() => Pick<Machine, 'bootId' | 'initStartTicks'>) | undefined;
  /** The way of datagrams of UDP. Absent: they stay in the phone, as its exit carries none. */
  datagrams?: Datagrams | undefined;
  /** Properties that the phone has from the start of each boot, in place of the factory's. Absent: none. */
  bootProperties?: ReadonlyMap<string, string>;
  /** The protocol that adbd announces; lower it to imitate an old phone. Default: the newest version, 1 MiB. */
  protocol?: { version?: number; maxPayloadBytes?: number };
}

/** A screen that can show the boot, and is disposed of when the phone goes down. */
export type BootableScreen = Screen & {
  showBoot?: (stage: 'kernel' | 'system' | 'apps') => void;
  /** Opens the launcher, when the boot is complete. */
  home?: () => void;
  /** Returns the open apps as JSON, for a snapshot. */
  save?: () => SavedScreen;
  /** Opens the apps of a snapshot. */
  resume?: (saved: SavedScreen) => void;
  dispose?: () => void;
};
