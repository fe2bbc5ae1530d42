import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { logSettings } from '../../kit/config/process-settings.js';
import { Settings } from '../../kit/config/settings.js';
import type { LogOptions } from '../../kit/log/log.js';

export interface SimulatorConfig {
  /** How long a phone takes to boot, ms. */
  bootMs: number;
  /** How long the process goes on without a driver, ms: long enough to restart the device service. */
  graceMs: number;
  /** Size of each phone's storage, bytes. */
  storageBytes: number;
  /** Whether phones may reach loopback and private addresses. */
  allowPrivateTargets: boolean;
  /** Memory that the phones of a process may hold for their clients together, bytes. */
  memoryBytes: number;
  /** Address on which phones listen, and that is published with their ports. */
  phoneHost: string;
  /** Name or path of the program that encodes video; phones have no video where it is not there. */
  ffmpeg: string;
  /** Folder of the apps that phones have in addition to their own. Undefined: none. */
  appsFolder: string | undefined;
  log: LogOptions;
}

/** Reads the simulator's settings; throws one error that lists every fault. */
export function readSimulatorConfig(environment: NodeJS.ProcessEnv): SimulatorConfig {
  const settings = new Settings(environment);
  const config = { ...readPhones(settings), log: logSettings(settings, false) };
  settings.check();
  return config;
}

function readPhones(settings: Settings): Omit<SimulatorConfig, 'log'> {
  return {
    bootMs: settings.integer('SIMULATED_BOOT_MS', { min: 0, max: 600_000 }, 800),
    graceMs: settings.integer('SIMULATED_GRACE_MS', { min: 0, max: 3_600_000 }, 30_000),
    storageBytes: settings.integer('SIMULATED_STORAGE_MB', { min: 16, max: 1_048_576 }, 4096) * 1024 * 1024,
    allowPrivateTargets: settings.flag('ALLOW_PRIVATE_TARGETS', false),
    memoryBytes: settings.integer('SIMULATED_MEMORY_MB', { min: 64, max: 65_536 }, 1024) * 1024 * 1024,
    phoneHost: phoneHostSetting(settings),
    ffmpeg: settings.text('FFMPEG', 'ffmpeg'),
    appsFolder: appsFolderSetting(settings),
  };
}

/** Settings of the driver, in the process of the service. */
export interface SimulatedPhonesConfig {
  /** The number of processes over which phones are spread. As many customers can each use a whole core without slowing the others. */
  processes: number;
}

/** Reads the driver's settings. It also checks the settings of the driver's processes, so that the service reports their faults. */
export function readSimulatedPhones(settings: Settings): SimulatedPhonesConfig {
  readPhones(settings);
  return { processes: settings.integer('SIMULATED_PROCESSES', { min: 1, max: 256 }, availableParallelism()) };
}

/** SIMULATED_APPS_DIR. Its files are read by the process that runs them, and not by the service. */
function appsFolderSetting(settings: Settings): string | undefined {
  const folder = settings.optionalText('SIMULATED_APPS_DIR');
  if (folder === undefined) return undefined;
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  settings.require(
    isFolder,
    `SIMULATED_APPS_DIR="${folder}" is not a folder: name the one with the apps' .js and .mjs files`,
  );
  return resolve(folder);
}

/** PHONE_HOST: a single address, as it is also the one that is published. */
function phoneHostSetting(settings: Settings): string {
  const host = settings.text('PHONE_HOST', '127.0.0.1');
  const isOne = !['0.0.0.0', '::', '*'].includes(host);
  settings.require(isOne, `PHONE_HOST="${host}" is not one address of this machine: other services connect to it`);
  return host;
}
