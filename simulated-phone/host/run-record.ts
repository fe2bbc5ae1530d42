import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning, type ProcessOwner } from '../../kit/process/process-owner.js';

/** The record of a phone's last start in its folder: the process that runs it, or why it is off although no operation stopped it. */
export type RunRecord = { process: number; owner: ProcessOwner } | { ended: string };

/** The name of the file in a phone's folder. */
export const RUN_FILE = 'run.json';

/**
 * The file `run.json` in a phone's folder. It names the process that runs a phone, whatever the number of processes, and keeps two
 * processes from booting one phone. Only the process that runs the phone writes it; after kill -9 it names a process that is gone.
 */
export class RunFile {
  readonly #path: string;

  constructor(phoneDirectory: string) {
    this.#path = join(phoneDirectory, RUN_FILE);
  }

  /** Reads the record. Undefined when the phone was stopped by an operation, or never started. */
  async read(): Promise<RunRecord | undefined> {
    try {
      return JSON.parse(await readFile(this.#path, 'utf8')) as RunRecord;
    } catch (error) {
      // The file is replaced by rename, so a file that cannot be parsed was damaged from outside; no process wrote it.
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async write(record: RunRecord): Promise<void> {
    await writeFile(`${this.#path}.new`, JSON.stringify(record));
    await rename(`${this.#path}.new`, this.#path);
  }

  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}

/** Returns the index of the process that runs the phone; undefined when none does. */
export function processOf(record: RunRecord | undefined): number | undefined {
  return record !== undefined && 'owner' in record && isRunning(record.owner) ? record.process : undefined;
}

/** Whether the phone was running when the process that it ran in ended. */
export function wasRunning(record: RunRecord | undefined): boolean {
  return record !== undefined && 'owner' in record && !isRunning(record.owner);
}

/** Returns why a phone that no process runs is off; undefined where an operation stopped it. */
export function reasonOf(record: RunRecord | undefined): string | undefined {
  if (record === undefined) return undefined;
  return 'ended' in record ? record.ended : 'the process that it ran in ended';
}
