import type { VideoUnit } from '../live/video/video-unit.js';
import { fileBeginning, fragmentOf, type Sample, u32 } from './mp4-boxes.js';
import { parameterSetsOf, toSample } from './nal-units.js';

/** Bytes of a file, and their place in it. */
export interface Piece {
  offset: number;
  data: Buffer;
}

/** The last picture in a file, and the place of its duration. */
interface LastPicture {
  atMs: number;
  durationMs: number;
  durationAt: number;
}

/**
 * Makes one MP4 file of a recording, as pieces to be written in their order. After each `flush` the file is whole up to that moment: the
 * picture that is shown then is in it, with its duration so far. The next flush makes that duration longer in its place. So a file that is
 * cut off by a crash can be played, and a screen that is still keeps its true time.
 */
export class SegmentFile {
  #bytes = 0;
  #pieces: Piece[] = [];
  #durationAt = 0;
  #fragments = 0;
  /** Pictures that are not in the file yet. The last one is shown now. */
  #waiting: { data: Buffer; isKey: boolean; atMs: number }[] = [];
  #last: LastPicture | undefined;
  readonly #beganMs: number;

  /** `first` is a key frame. The file's time begins at `beganMs`, in ms of the monotonic clock. */
  constructor(first: VideoUnit, beganMs: number) {
    this.#beganMs = beganMs;
    const { width, height, data } = first.configuration;
    const { bytes, durationAt } = fileBeginning({ width, height, ...parameterSetsOf(data) });
    this.#durationAt = durationAt;
    this.#append(bytes);
    this.add(first, beganMs);
  }

  /** Adds a picture that is shown from `atMs` on. */
  add({ data, isKey }: Pick<VideoUnit, 'data' | 'isKey'>, atMs: number): void {
    const before = this.#waiting.at(-1)?.atMs ?? this.#last?.atMs ?? -Infinity;
    // Each picture has a time of its own, also where several arrive at once.
    const earliest = before === -Infinity ? 0 : before + 1;
    this.#waiting.push({ data: toSample(data), isKey, atMs: Math.max(earliest, Math.round(atMs - this.#beganMs)) });
  }

  /** Returns the pieces by which the file has everything that was shown until `nowMs`. */
  flush(nowMs: number): Piece[] {
    const end = Math.max(Math.round(nowMs - this.#beganMs), (this.#waiting.at(-1)?.atMs ?? this.#last?.atMs ?? 0) + 1);
    const [first] = this.#waiting;
    if (this.#last !== undefined) this.#stretch(this.#last, first?.atMs ?? end);
    if (first !== undefined) this.#addFragment(first.atMs, end);
    this.#patch(this.#durationAt, end);
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  #addFragment(beganMs: number, end: number): void {
    const samples = this.#waiting.map(({ data, isKey, atMs }, index): Sample => {
      const next = this.#waiting[index + 1]?.atMs ?? end;
      return { data, isKey, durationMs: next - atMs };
    });
    this.#fragments++;
    const { bytes, durationAt } = fragmentOf(this.#fragments, beganMs, samples);
    const atMs = this.#waiting.at(-1)?.atMs ?? beganMs;
    this.#last = { atMs, durationMs: end - atMs, durationAt: this.#bytes + durationAt };
    this.#append(bytes);
    this.#waiting = [];
  }

  #stretch(last: LastPicture, untilMs: number): void {
    const durationMs = untilMs - last.atMs;
    if (durationMs !== last.durationMs) this.#patch(last.durationAt, durationMs);
    last.durationMs = durationMs;
  }

  #append(data: Buffer): void {
    this.#pieces.push({ offset: this.#bytes, data });
    this.#bytes += data.length;
  }

  #patch(offset: number, value: number): void {
    this.#pieces.push({ offset, data: u32(value) });
  }
}
