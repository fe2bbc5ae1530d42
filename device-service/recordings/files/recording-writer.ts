import { type FileHandle, open } from 'node:fs/promises';
import { ApiError } from '../../../kit/errors/api-error.js';
import type { HostSpace } from '../../../kit/files/host-space.js';
import { HostFull } from '../../../kit/files/host-space.js';
import type { FilePiece } from '../../../proto/gen/cloudphone/screen/v1/recorder_service_pb.js';
import type { RecordingFiles } from './recording-files.js';

/** Most files of a recording. Each turn of the screen makes one, and a hostile app may turn it all the time. */
export const MAX_SEGMENTS = 1_000;

/** Writes the files of one recording. */
export class RecordingWriter {
  readonly #id: string;
  readonly #files: RecordingFiles;
  readonly #space: HostSpace;
  #file: FileHandle | undefined;
  /** The size of each file, bytes. The last one is being written. */
  readonly #sizes: number[] = [];

  constructor(id: string, files: RecordingFiles, space: HostSpace) {
    this.#id = id;
    this.#files = files;
    this.#space = space;
  }

  get segments(): number {
    return this.#sizes.length;
  }

  get sizeBytes(): number {
    return this.#sizes.reduce((sum, bytes) => sum + bytes, 0);
  }

  /** Writes pieces at their places, and returns when they are on the disk. Throws HostFull where there is no room. */
  async write(pieces: readonly FilePiece[]): Promise<void> {
    for (const { segment, offset, data } of pieces) {
      const size = this.#sizes[segment] ?? 0;
      if (offset > size || segment > this.#sizes.length) throw new Error('a piece of a recording has no place');
      const added = Math.max(0, offset + data.length - size);
      if (segment >= MAX_SEGMENTS)
        throw new ApiError(
          'unavailable',
          `The screen was turned too often: a recording has at most ${MAX_SEGMENTS} files.`,
        );
      const isNew = segment === this.#sizes.length;
      if (added > 0 && !(await this.#space.take(added, isNew ? 1 : 0))) throw new HostFull();
      const file = await this.#open(segment);
      await writeAll(file, data, offset);
      this.#sizes[segment] = size + added;
    }
    await this.#file?.datasync();
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  async #open(segment: number): Promise<FileHandle> {
    if (this.#file !== undefined && segment === this.#sizes.length - 1) return this.#file;
    if (segment < this.#sizes.length) throw new Error('a piece belongs to a file of a recording that is complete');
    await this.#file?.datasync();
    await this.close();
    this.#file = await open(this.#files.path(this.#id, segment), 'wx', 0o600);
    this.#sizes.push(0);
    return this.#file;
  }
}

/** Writes all bytes. A disk that is nearly full takes a part, and refuses the rest. */
async function writeAll(file: FileHandle, data: Uint8Array, offset: number): Promise<void> {
  for (let at = 0; at < data.length;) {
    const { bytesWritten } = await file.write(data, at, data.length - at, offset + at);
    at += bytesWritten;
  }
}
