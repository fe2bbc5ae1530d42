import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { Cancellation } from '../../kit/async/within.js';
import type { PhoneExit } from '../../phone/driver.js';
import type { ServiceRecord } from '../machine/service-record.js';
import { Instrumentations } from '../automation/instrumentations.js';
import { UiAutomation } from '../machine/ui-automation.js';
import { HeldFrames } from '../memory/held-frames.js';
import { Disk } from '../files/disk.js';
import { FileTree } from '../files/file-tree.js';
import { DATA_FOLDERS, systemImage } from '../system-image/system-image.js';
import { openInputDevices } from '../input-devices/input-devices.js';
import { LocalSockets } from '../streams/local-sockets.js';
import { SeenConditions } from '../conditions/seen-conditions.js';
import { LogRing } from '../logcat/log-ring.js';
import type { Machine } from '../machine/machine.js';
import { MemoryBudget, ProcessMemory } from '../memory/memory-budget.js';
import { InnerDatagrams } from '../network/datagrams.js';
import { NotBooted } from '../system/not-booted.js';
import { PackageRegistry } from '../packages/package-registry.js';
import type { PhoneFaults } from './phone-faults.js';
import type { BootableScreen, SimulatedPhoneOptions } from './phone-options.js';
import type { SavedScreen } from '../screen/saved-screen.js';
import { ProcessTable } from '../process/process-table.js';
import { PropertyStore } from '../properties/property-store.js';
import { factorySettings, SettingsStore } from '../settings/settings-store.js';
import { COMMANDS } from '../shell/commands/command-table.js';
import { StateFile } from '../system/state-file.js';
import type { PhoneNetwork } from '../system/system.js';

/** The parts of a phone that has power, and the steps that bring it up. */
export interface RunningMachine {
  machine: Machine;
  disk: Disk;
  /** Turns the display on, which is the first step, so that the boot can be watched. */
  startKernel(): void;
  startSystem(exit: PhoneExit): void;
  startApps(): void;
  completeBoot(): void;
  setExit(exit: PhoneExit): void;
  powerOff(): void;
  /** Writes the open apps into the folder of a snapshot. */
  saveScreen(folder: string): void;
}

/** The file with the open apps of a snapshot. A phone that was restored to the snapshot has this file until its next boot is complete. */
const SCREEN_FILE = 'screen.json';

/** The system image, which all phones of a process share. It never changes. */
const SYSTEM_IMAGE = systemImage(COMMANDS.keys());

const DEFAULT_STORAGE_BYTES = 4 * 1024 ** 3;
const DEFAULT_PROCESS_MEMORY_BYTES = 1024 ** 3;

/** Memory that the clients of one phone may make it use, bytes. */
const PHONE_MEMORY_BYTES = 128 * 1024 ** 2;

export async function assembleMachine(
  options: SimulatedPhoneOptions &
    Pick<Machine, 'reboot' | 'turnOff'> & { faults: PhoneFaults; services: ServiceRecord },
): Promise<RunningMachine> {
  const { directory, identity, clock, log, random, faults, services } = options;
  const stateFile = <T>(name: string): StateFile<T> => new StateFile<T>(path.join(directory, name));
  const disk = new Disk({
    root: path.join(directory, 'files'),
    capacityBytes: options.storageBytes ?? DEFAULT_STORAGE_BYTES,
    hostSpace: options.hostSpace,
  });
  await disk.sweep();
  await disk.prepare(DATA_FOLDERS);

  const power = new Cancellation();
  let screen: BootableScreen | undefined;
  let network: PhoneNetwork | undefined;
  const context = (): Machine => machine;
  const processMemory = options.processMemory ?? new ProcessMemory(DEFAULT_PROCESS_MEMORY_BYTES);
  const memory = new MemoryBudget(PHONE_MEMORY_BYTES, processMemory);
  const files = new FileTree<Machine>({ disk, virtual: SYSTEM_IMAGE, user: 'system', context });
  const machine: Machine = {
    identity,
    clock,
    log,
    random,
    faults,
    services,
    videoEncoders: options.videoEncoders,
    files,
    shellFiles: new FileTree<Machine>({ disk, virtual: SYSTEM_IMAGE, user: 'shell', context }),
    filesOfApp: (name) => new FileTree<Machine>({ disk, virtual: SYSTEM_IMAGE, user: `app:${name}`, context }),
    properties: new PropertyStore(identity, stateFile('properties.json')),
    settings: new SettingsStore(stateFile('settings.json'), factorySettings(identity)),
    logcat: new LogRing(clock),
    conditions: new SeenConditions(options.conditions),
    packages: new PackageRegistry({ ...options, files }),
    memory,
    frames: new HeldFrames(memory),
    processes: new ProcessTable(),
    sockets: new LocalSockets(),
    datagrams: options.datagrams ?? new InnerDatagrams(),
    automation: new UiAutomation(),
    instrumentations: new Instrumentations(context),
    inputDevices: openInputDevices(() => machine.screen),
    bootedAtMs: clock.monotonicMs(),
    ...(options.hostKernel?.() ?? { bootId: randomUUID(), initStartTicks: 0 }),
    reboot: options.reboot,
    turnOff: options.turnOff,
    power: power.signal,
    get screen() {
      if (!screen) throw new NotBooted('the display');
      return screen;
    },
    get network() {
      if (!network) throw new NotBooted('the network');
      return network;
    },
  };
  await machine.packages.sweep();
  machine.packages.onChange(() => machine.logcat.writeTo('system', 'I', 'PackageManager', 'Packages changed'));
  const { properties, logcat } = machine;
  if (options.trustedKeys) properties.set('ro.adb.secure', '1');
  for (const [name, value] of options.bootProperties ?? []) properties.set(name, value);

  const setExit = (exit: PhoneExit): void => {
    network = options.createNetwork(exit, machine);
    // With an empty time zone the phone keeps its own zone, which lasts over restarts.
    if (exit.timezone !== '') properties.set('persist.sys.timezone', exit.timezone);
    // `zz` stands for a country that is not known.
    properties.set('gsm.operator.iso-country', exit.country === 'zz' ? '' : exit.country);
  };
  return {
    machine,
    disk,
    startKernel: () => {
      screen = options.createScreen(machine);
      screen.showBoot?.('kernel');
    },
    startSystem: (exit) => {
      screen?.showBoot?.('system');
      properties.set('init.svc.bootanim', 'running');
      logcat.writeTo('system', 'I', 'SystemServer', 'Entered the Android system server!');
      setExit(exit);
    },
    startApps: () => {
      screen?.showBoot?.('apps');
      logcat.writeTo('system', 'I', 'ActivityManager', 'System now ready');
    },
    completeBoot: () => {
      screen?.home?.();
      const saved = stateFile<SavedScreen>(SCREEN_FILE);
      const open = saved.read();
      if (open !== undefined) {
        screen?.resume?.(open);
        saved.remove();
      }
      machine.processes.ensureApp(machine.screen.foreground.package, 10_085);
      properties.set('sys.user.0.ce_available', 'true');
      properties.set('init.svc.bootanim', 'stopped');
      properties.set('service.bootanim.exit', '1');
      properties.set('dev.bootcomplete', '1');
      properties.set('sys.boot_completed', '1');
      logcat.writeTo('system', 'I', 'ActivityManager', 'Posting BOOT_COMPLETED user #0');
    },
    setExit: (exit) => {
      if (network) setExit(exit);
    },
    saveScreen: (folder) => {
      const open = screen?.save?.();
      if (open !== undefined) new StateFile<SavedScreen>(path.join(folder, SCREEN_FILE)).write(open);
    },
    powerOff: () => {
      power.abort();
      void machine.packages.sessions.abandonAll();
      screen?.dispose?.();
    },
  };
}
