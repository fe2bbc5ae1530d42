import type { Clock, Timer } from '../async/clock.js';

/** Most bytes of lines that wait for a reader: minutes of a busy service at `info`. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Lines of one turn of the event loop become a part of their own when they reach this many characters. */
const PART_CHARACTERS = 64 * 1024;
/** Pause before the output is tried again, ms. */
const PAUSE_MS = 50;
/** How long the end of the process waits for a reader, and the pause between tries, ms. */
const END_MS = 1_000;
const END_PAUSE_MS = 5;

export interface LineBufferOptions {
  /** Writes some of the bytes without waiting, and returns how many. Throws where none can be written now, for any reason. */
  write: (bytes: Uint8Array) => number;
  clock: Clock;
  /** Pauses the whole process, while it ends. */
  pause: (ms: number) => void;
  /** Returns the line that stands for `count` dropped ones, with its end. */
  droppedLine: (count: number) => string;
}

interface Part {
  bytes: Uint8Array;
  /** The number of lines in the part. In a part that stands for dropped lines, it is the number of those. */
  lines: number;
  stands?: true;
}

/**
 * Sends lines to an output that nobody may be reading. The lines of one turn of the event loop are written together. When the output takes
 * no more, the lines wait, but no caller waits. A bounded number of bytes may wait; beyond it, the oldest lines are dropped. One line with
 * their number is written in their place. Lines that wait when the process ends are still written if a reader takes them in time.
 */
export class LineBuffer {
  readonly #options: LineBufferOptions;
  /** Lines of the present turn. */
  #turn = '';
  #turnLines = 0;
  readonly #parts: Part[] = [];
  #bytes = 0;
  /** Whether only the beginning of the first part was written. Such a part cannot be dropped, as its last line would have no end. */
  #isBegun = false;
  /** The number of dropped lines that no line stands for yet. They were before the first part, or after it if `#isBegun`. */
  #missing = 0;
  #dropped = 0;
  #retry: Timer | undefined;
  /** Whether the last try found that the reader has closed its end of the pipe. */
  #isReaderGone = false;

  constructor(options: LineBufferOptions) {
    this.#options = options;
  }

  /** How many lines were dropped since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Takes one line with its end. Never throws, and never waits. */
  write(line: string): void {
    if (this.#turn === '') setImmediate(() => this.#endTurn());
    this.#turn += line;
    this.#turnLines++;
    if (this.#turn.length >= PART_CHARACTERS) this.#endTurn();
  }

  /** Writes the lines that wait. It takes a bounded time, and ends when the reader is gone. Call it when the process exits. */
  end(): void {
    const { clock, pause } = this.#options;
    const endMs = clock.monotonicMs() + END_MS;
    this.#endTurn();
    while (this.#parts.length > 0 && !this.#isReaderGone && clock.monotonicMs() < endMs) {
      pause(END_PAUSE_MS);
      this.#send();
    }
    this.#retry?.cancel();
  }

  #endTurn(): void {
    if (this.#turn === '') return;
    const bytes = Buffer.from(this.#turn);
    this.#parts.push({ bytes, lines: this.#turnLines });
    this.#bytes += bytes.length;
    this.#turn = '';
    this.#turnLines = 0;
    // Nothing is written before a retry that is planned, as the output took nothing a moment ago.
    if (this.#retry === undefined) this.#send();
    this.#dropOldest();
  }

  #dropOldest(): void {
    while (this.#bytes > MAX_BYTES) {
      const [oldest] = this.#parts.splice(this.#isBegun ? 1 : 0, 1);
      if (oldest === undefined) return;
      this.#bytes -= oldest.bytes.length;
      this.#missing += oldest.lines;
      if (oldest.stands !== true) this.#dropped += oldest.lines;
    }
  }

  #send(): void {
    this.#retry?.cancel();
    this.#retry = undefined;
    for (let first = this.#parts[0]; first !== undefined; first = this.#parts[0]) {
      if (this.#missing > 0 && !this.#isBegun) {
        const lines = this.#missing;
        first = { bytes: Buffer.from(this.#options.droppedLine(lines)), lines, stands: true };
        this.#missing = 0;
        this.#parts.unshift(first);
        this.#bytes += first.bytes.length;
      }
      const written = this.#written(first.bytes);
      if (written === 0) {
        this.#retry = this.#options.clock.after(PAUSE_MS, () => this.#send());
        return;
      }
      this.#bytes -= written;
      this.#isBegun = written < first.bytes.length;
      if (this.#isBegun) first.bytes = first.bytes.subarray(written);
      else this.#parts.shift();
    }
  }

  /** A reader that is away or stands still, and a disk that is full, are alike: the lines wait. */
  #written(bytes: Uint8Array): number {
    try {
      const written = this.#options.write(bytes);
      this.#isReaderGone = false;
      return written;
    } catch (error) {
      this.#isReaderGone = error instanceof Error && 'code' in error && error.code === 'EPIPE';
      return 0;
    }
  }
}
