import type { ServiceRecord } from './service-record.js';
import type { HeldFrames } from '../memory/held-frames.js';
import type { SeenConditions } from '../conditions/seen-conditions.js';
import type { FileTree } from '../files/file-tree.js';
import type { InputDevice } from '../input-devices/input-device.js';
import type { InstrumentationRuns } from './instrumentation.js';
import type { UiAutomation } from './ui-automation.js';
import type { LocalSockets } from '../streams/local-sockets.js';
import type { MemoryBudget } from '../memory/memory-budget.js';
import type { Datagrams } from '../network/datagrams.js';
import type { LogRing } from '../logcat/log-ring.js';
import type { PackageRegistry } from '../packages/package-registry.js';
import type { ProcessTable } from '../process/process-table.js';
import type { PropertyStore } from '../properties/property-store.js';
import type { SettingsStore } from '../settings/settings-store.js';
import type { PhoneSystem } from '../system/system.js';
import type { VideoEncoders } from '../../phone/video/video-encoder.js';

/** A running phone from the inside: the parts that apps see (`PhoneSystem`), and those that only adbd and the shell reach. */
export interface Machine extends PhoneSystem {
  readonly properties: PropertyStore;
  readonly settings: SettingsStore;
  readonly logcat: LogRing;
  readonly conditions: SeenConditions;
  readonly packages: PackageRegistry;
  /** The files without access checks, for the system and its apps. */
  readonly files: FileTree<Machine>;
  /** The files, with the rights of uid 2000. */
  readonly shellFiles: FileTree<Machine>;
  /** Returns the files, with the rights of an app: those of the shell, and the app's own folder. */
  readonly filesOfApp: (packageName: string) => FileTree<Machine>;
  /** The memory that clients may make the phone use. */
  readonly memory: MemoryBudget;
  readonly frames: HeldFrames;
  readonly processes: ProcessTable;
  readonly sockets: LocalSockets;
  readonly datagrams: Datagrams;
  readonly automation: UiAutomation;
  readonly instrumentations: InstrumentationRuns;
  /** The input devices by their paths, `/dev/input/event0` first. */
  readonly inputDevices: ReadonlyMap<string, InputDevice>;
  readonly services: ServiceRecord;
  /** The encoders of video. Undefined: the phone has no video. */
  readonly videoEncoders: VideoEncoders | undefined;
  /** When the phone booted, on the monotonic clock. */
  readonly bootedAtMs: number;
  /**
   * The content of /proc/sys/kernel/random/boot_id. It is a new UUID at each boot of the phone. In a container, a phone has that of its
   * host.
   */
  readonly bootId: string;
  /** When its first process started, hundredths of a second since the start of the kernel. */
  readonly initStartTicks: number;
  /** Reboots the phone, soon after the call. Undefined: the phone does not let its shell do that. */
  readonly reboot: (() => void) | undefined;
  /** Powers the phone off, soon after the call. Undefined: the phone does not let its shell do that. */
  readonly turnOff: (() => void) | undefined;
  /** Aborts when the phone goes down; ends every command and stream. */
  readonly power: AbortSignal;
}
