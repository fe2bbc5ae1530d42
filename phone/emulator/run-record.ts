import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning, type ProcessOwner } from '../../kit/process/process-owner.js';

/** One start of an emulator, as its supervisor noted it. */
export interface Run {
  /** The supervisor's process. The phone runs as long as this process does. */
  owner: ProcessOwner;
  /** Where the supervisor listens for ADB. */
  host: string;
  port: number;
  /** Why the run ended, for people. Absent while the run lasts, and when the supervisor was killed. */
  ended?: string;
  /** Whether the emulator ended by itself and without a fault: then its disk images are whole. */
  inOrder?: boolean;
}

const FILE = 'run.json';

/** Writes the record; only the supervisor does this. A rename puts the whole file in place in one step. */
export function writeRun(folder: string, run: Run): void {
  const path = join(folder, FILE);
  writeFileSync(`${path}.new`, JSON.stringify(run), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Returns the latest start, also of a phone that is off. Undefined when there is no record, or when it cannot be read. */
export function readRun(folder: string): Run | undefined {
  let text: string;
  try {
    text = readFileSync(join(folder, FILE), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as Run;
  } catch {
    // The record is not flushed to the disk: after a crash of the host it may be empty, and the phone is off.
    return undefined;
  }
}

/** Sends a signal to the supervisor of a run. Does nothing when the supervisor has ended. */
export function signalSupervisor({ owner }: Run, signal: NodeJS.Signals): void {
  try {
    process.kill(owner.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Returns the start under way; undefined where there is no start. */
export function presentRun(folder: string): Run | undefined {
  const run = readRun(folder);
  return run !== undefined && run.ended === undefined && isRunning(run.owner) ? run : undefined;
}
