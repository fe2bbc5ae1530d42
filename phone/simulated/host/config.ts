import { logSettings } from '../../../kit/config/process-settings.js';
import { Settings } from '../../../kit/config/settings.js';
import type { LogOptions } from '../../../kit/log.js';

export interface SimulatorConfig {
  /** How long a phone takes to boot, ms. */
  bootMs: number;
  /** How long the process goes on without a driver, ms: long enough to restart the device service. */
  graceMs: number;
  /** Size of each phone's storage, bytes. */
  storageBytes: number;
  /** Whether phones may reach loopback and private addresses. */
  allowPrivateTargets: boolean;
  log: LogOptions;
}

/** Reads the simulator's settings; throws one error that lists every fault. */
export function readSimulatorConfig(environment: NodeJS.ProcessEnv): SimulatorConfig {
  const settings = new Settings(environment);
  const config: SimulatorConfig = {
    bootMs: settings.integer('SIMULATED_BOOT_MS', { min: 0, max: 600_000 }, 800),
    graceMs: settings.integer('SIMULATED_GRACE_MS', { min: 0, max: 3_600_000 }, 30_000),
    storageBytes: settings.integer('SIMULATED_STORAGE_MB', { min: 16, max: 1_048_576 }, 4096) * 1024 * 1024,
    allowPrivateTargets: settings.flag('ALLOW_PRIVATE_TARGETS', false),
    log: logSettings(settings, false),
  };
  settings.check();
  return config;
}
