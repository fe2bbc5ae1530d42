import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { wholeBytes } from './whole-boxes.js';

/** The folders of recordings on this host. Each is named by its recording, and has the files `0.mp4`, `1.mp4`, … */
export class RecordingFiles {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Makes the folder of all recordings. */
  async open(): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
  }

  path(id: string, segment: number): string {
    return join(this.#folder(id), `${segment}.mp4`);
  }

  /** Makes the folder of a recording. */
  async make(id: string): Promise<void> {
    await mkdir(this.#folder(id), { recursive: true, mode: 0o700 });
  }

  async remove(id: string): Promise<void> {
    await rm(this.#folder(id), { recursive: true, force: true });
  }

  /** Returns the ids of the recordings that have a folder. */
  async list(): Promise<string[]> {
    return readdir(this.#directory).catch(noneYet);
  }

  /** Returns whether a recording has a folder. */
  async has(id: string): Promise<boolean> {
    return (await stat(this.#folder(id)).catch(none)) !== undefined;
  }

  /**
   * Cuts the files of a recording that was broken off to their whole parts. Returns how many files there are, and their size. A file with no
   * whole part is removed.
   */
  async mend(id: string): Promise<{ segments: number; sizeBytes: number }> {
    let sizeBytes = 0;
    for (let segment = 0; ; segment++) {
      const path = this.path(id, segment);
      const bytes = await stat(path).then(({ size }) => size, none);
      if (bytes === undefined) return { segments: segment, sizeBytes };
      const file = await open(path, 'r+');
      try {
        const whole = await wholeBytes(file, bytes);
        if (whole < bytes) await file.truncate(whole);
        await file.sync();
        sizeBytes += whole;
        if (whole > 0) continue;
      } finally {
        await file.close();
      }
      await rm(path);
      return { segments: segment, sizeBytes };
    }
  }

  #folder(id: string): string {
    return join(this.#directory, id);
  }
}

function noneYet(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

function none(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
