export interface EmulatorTimes {
  /** Until an emulator has its ports; its boot is not part of it. */
  launchMs: number;
  /** Until Android has shut down and its emulator has ended. */
  shutdownMs: number;
  /** For each way in which a keeper ends its emulator: the console, SIGTERM, SIGKILL. Also for the commands of one change of conditions. */
  stepMs: number;
}

/** Together within the limit of a step of the host's loop. */
export const EMULATOR_TIMES: EmulatorTimes = { launchMs: 60_000, shutdownMs: 20_000, stepMs: 5_000 };
