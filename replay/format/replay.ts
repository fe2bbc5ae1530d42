/** A recording of steps that can be run again, as a replay file has it. */
export interface Replay {
  version: 1;
  name?: string;
  device?: RecordedDevice;
  variables?: Readonly<Record<string, Variable>>;
  steps: readonly ReplayStep[];
}

/** The phone of the recording. Width and height are of its upright screen, px. */
export interface RecordedDevice {
  model?: string;
  android?: string;
  width?: number;
  height?: number;
}

export interface Variable {
  /** Absent: the value must be given. */
  default?: string;
  /** Whether it is typed as a secret, and shown nowhere. Absent: false. */
  secret?: boolean;
}

/** The condition that must be true after a step, as `POST …/act` takes it. */
export interface Expectation {
  text?: string;
  gone?: string;
  app?: string;
  role?: string;
  state?: string;
}

/** A step: one member that names its kind, as `POST …/act` takes it, and these. */
export interface ReplayStep {
  expect?: Expectation;
  /** How long it took until the screen showed its effect, ms. Absent: not known. */
  took_ms?: number;
  /** The screen after it: a path of a picture, from the folder of the file on. */
  picture?: string;
  /** Why it may not fit another phone. */
  warning?: string;
  [kind: string]: unknown;
}

/** A file that is no replay. Its text names the line, the place and what is allowed. */
export class ReplayFault extends Error {
  override readonly name = 'ReplayFault';
}
