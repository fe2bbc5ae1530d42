import type { Clock } from '../../kit/async/clock.js';

export interface Progress {
  /** Phones and snapshots that are done. */
  done: number;
  of: number;
  /** The one at work; empty at the end. */
  path: string;
}

export type OnProgress = (progress: Progress) => void;

export interface ProgressOutput {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** Time between two lines in a log, ms. A short run writes none. */
const LINE_SPACING_MS = 10_000;

/** Writes progress to a terminal, in one line that changes; elsewhere a line from time to time, so that a log stays short. */
export function progressTo(output: ProgressOutput, clock: Pick<Clock, 'monotonicMs'>): OnProgress {
  let writtenMs = clock.monotonicMs();
  return ({ done, of, path }) => {
    const line = `${done} of ${of} phones and snapshots are done${path === '' ? '' : `, at ${path}`}`;
    if (output.isTTY === true) output.write(`\r\u001b[K${path === '' ? '' : line}`);
    else if (clock.monotonicMs() - writtenMs >= LINE_SPACING_MS) {
      writtenMs = clock.monotonicMs();
      output.write(`${line}\n`);
    }
  };
}
