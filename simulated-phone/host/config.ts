import { availableParallelism } from 'node:os';
import { logSettings } from '../../kit/config/process-settings.js';
import { Settings } from '../../kit/config/settings.js';
import type { LogOptions } from '../../kit/log.js';

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
  /** Address that phones listen on, and that is published with their ports. */
  phoneHost: string;
  /** Name or path of the program that encodes video; phones have no video where it is not there. */
  ffmpeg: string;
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
  };
}

/** Settings of the driver, in the process of the service. */
export interface SimulatedPhonesConfig {
  /** How many processes phones are spread over: as many customers can use a core each without being in each other's way. */
  processes: number;
}

/** Reads the driver's settings, and those of its processes for their faults. */
export function readSimulatedPhones(settings: Settings): SimulatedPhonesConfig {
  readPhones(settings);
  return { processes: settings.integer('SIMULATED_PROCESSES', { min: 1, max: 256 }, availableParallelism()) };
}

/** PHONE_HOST: one address, as it is also the one that others are given. */
function phoneHostSetting(settings: Settings): string {
  const host = settings.text('PHONE_HOST', '127.0.0.1');
  const isOne = !['0.0.0.0', '::', '*'].includes(host);
  settings.require(isOne, `PHONE_HOST="${host}" is not one address of this machine: other services connect to it`);
  return host;
}
