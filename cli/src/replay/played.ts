import type { ReplayStep } from '../../../replay/format/replay.js';
import type { Difference } from './difference.js';

/** A step of a replay, and how it went. */
export interface PlayedStep {
  /** From 1. */
  number: number;
  /** Line of the file. */
  line: number;
  step: ReplayStep;
  state: 'passed' | 'failed' | 'skipped';
  /** 0 for a step that was skipped. */
  durationMs: number;
}

/** A replay on a phone that has ended. */
export interface Played {
  steps: readonly PlayedStep[];
  /** Why the step that failed did. Absent: all passed. */
  difference?: Difference;
}
