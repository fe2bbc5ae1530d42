import type { EmulatorTimes } from '../times.js';

/** What a keeper is to do; sent to it with the server that takes the phone's ADB connections. */
export interface KeeperPlan {
  /** The phone's AVD: another one is no success. */
  avd: string;
  /** Where `server` listens. */
  host: string;
  port: number;
  /** The emulator, with its arguments. */
  command: readonly [string, ...string[]];
  times: Pick<EmulatorTimes, 'launchMs' | 'stepMs'>;
}

/** A keeper's only message. `failed`: the emulator does not run, and the keeper ends. */
export type KeeperReport = { launched: true } | { failed: string };
