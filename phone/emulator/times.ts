/** Longest times of an emulator's steps, ms. */
export interface EmulatorTimes {
  /** The time until an emulator has opened its ports. The boot of Android is not included. */
  launchMs: number;
  /** The time until Android has shut down and its emulator has ended. */
  shutdownMs: number;
  /** The time of each way to end an emulator: its console, SIGTERM, SIGKILL. It also limits the commands of one change of conditions. */
  stepMs: number;
}

/** The sum of these times is below the time limit of one step of a job. */
export const EMULATOR_TIMES: EmulatorTimes = { launchMs: 60_000, shutdownMs: 20_000, stepMs: 5_000 };
