import type { EmulatorTimes } from '../times.js';

/** The work of a supervisor. It is sent to the supervisor together with the server that takes the phone's ADB connections. */
export interface SupervisorPlan {
  /** The phone's AVD. An emulator that runs another AVD is no success. */
  avd: string;
  /** Where `server` listens. */
  host: string;
  port: number;
  /** The emulator, with its arguments. */
  command: readonly [string, ...string[]];
  times: Pick<EmulatorTimes, 'launchMs' | 'stepMs'>;
}

/** A supervisor's only message. `failed`: the emulator does not run, and the supervisor ends. */
export type SupervisorReport = { launched: true } | { failed: string };
