import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning, type ProcessOwner } from '../../kit/process-owner.js';

/** One start of an emulator, as its keeper noted it. */
export interface Run {
  /** The keeper: a phone runs as long as it does. */
  owner: ProcessOwner;
  /** Where the keeper listens for ADB. */
  host: string;
  port: number;
  /** Why it ended, for people; absent while it runs, and where the keeper was killed. */
  ended?: string;
  /** Whether the emulator ended by itself and without a fault: then its disk images are whole. */
  inOrder?: boolean;
}

const FILE = 'run.json';

/** Written by the keeper alone, and whole, by a rename. */
export function writeRun(folder: string, run: Run): void {
  const path = join(folder, FILE);
  writeFileSync(`${path}.new`, JSON.stringify(run), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** The latest start, also of a phone that is off. Undefined: it was never started. */
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
    // Not written through: after a crash of the host it may be empty, and the phone is off.
    return undefined;
  }
}

/** A keeper that has ended meanwhile gets none. */
export function signalKeeper({ owner }: Run, signal: NodeJS.Signals): void {
  try {
    process.kill(owner.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The start under way; undefined where there is none. */
export function presentRun(folder: string): Run | undefined {
  const run = readRun(folder);
  return run !== undefined && run.ended === undefined && isRunning(run.owner) ? run : undefined;
}
