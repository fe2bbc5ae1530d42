import type { VideoConfiguration, VideoUnit } from '../live/video/video-unit.js';
import { SegmentFile } from './segment-file.js';

/** Bytes of one file of a recording, and their place in it. */
export interface FilePiece {
  segment: number;
  offset: number;
  data: Buffer;
}

/** The files of one recording: a new one begins when the video has another size, or other parameter sets. */
export class RecordedFilm {
  #file: SegmentFile | undefined;
  #configuration: VideoConfiguration | undefined;
  #segments = 0;
  #pieces: FilePiece[] = [];
  #beganMs: number | undefined;

  /** Whether it has no picture yet. */
  get isEmpty(): boolean {
    return this.#beganMs === undefined;
  }

  /** How long it is at `nowMs`, ms. */
  durationMs(nowMs: number): number {
    return this.#beganMs === undefined ? 0 : Math.max(0, Math.round(nowMs - this.#beganMs));
  }

  /** Adds a unit. A unit that is older than the recording counts as shown when it begins, which is `fromMs`. */
  add(unit: VideoUnit, fromMs: number): void {
    const atMs = Math.max(unit.cameMs, fromMs);
    const isOfFile = this.#configuration?.data.equals(unit.configuration.data) === true;
    if (this.#file !== undefined && isOfFile) {
      this.#file.add(unit, atMs);
      return;
    }
    // Nothing can begin with another unit. One that belongs to a file whose configuration has changed does not exist.
    if (!unit.isKey) return;
    this.#collect(atMs);
    this.#file = new SegmentFile(unit, atMs);
    this.#configuration = unit.configuration;
    this.#segments++;
    this.#beganMs ??= atMs;
  }

  /** Returns the pieces by which the files have everything that was shown until `nowMs`. */
  flush(nowMs: number): FilePiece[] {
    this.#collect(nowMs);
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  #collect(nowMs: number): void {
    const segment = this.#segments - 1;
    for (const piece of this.#file?.flush(nowMs) ?? []) this.#pieces.push({ segment, ...piece });
  }
}
