import type { LogLine } from '../logs/log-line.js';
import { packageOfProcess } from './app-process.js';
import { type CrashKindWord, cutReason, type FoundCrash } from './found-crash.js';
import { TraceText } from './trace-text.js';

/** A crash whose lines are still coming. */
export class OpenTrace {
  readonly kind: CrashKindWord;
  readonly atMs: number;
  /** Name of the process, once a line has named it. */
  process: string | undefined;
  /** Package of the app, where a line names it apart from the process. */
  package: string | undefined;
  /** The process that crashed; undefined until a line has named it. */
  pid: number | undefined;
  uid: number | undefined;
  reason: string | undefined;
  /** What native code said before it gave up. */
  abortMessage: string | undefined;
  /** Whether the line of its death says that the app was in front. */
  wasInFront = false;
  /** Whether it is no crash after all, such as a stack that somebody requested. */
  isRefused = false;
  readonly #text = new TraceText();
  #lines = 0;
  /** The time of its last line, by the phone's clock, ms. */
  #lastMs: number;

  constructor(kind: CrashKindWord, first: LogLine) {
    this.kind = kind;
    this.atMs = first.timeMs;
    this.#lastMs = first.timeMs;
    this.add(first);
  }

  /** The number of its lines. */
  get lines(): number {
    return this.#lines;
  }

  add({ message, timeMs }: Pick<LogLine, 'message' | 'timeMs'>): void {
    this.#text.add(message);
    this.#lines++;
    this.#lastMs = timeMs;
  }

  /** Whether so much time is between a line and the last one that they belong to different events. */
  isApartFrom({ timeMs }: Pick<LogLine, 'timeMs'>, maxGapMs: number): boolean {
    return Math.abs(timeMs - this.#lastMs) > maxGapMs;
  }

  /** Returns the crash; undefined where it is none of an app. */
  get crash(): FoundCrash | undefined {
    const { process, uid, kind, atMs, abortMessage, wasInFront } = this;
    if (this.isRefused || process === undefined) return undefined;
    const ofProcess = packageOfProcess(process, uid);
    if (ofProcess === undefined) return undefined;
    const reason = [this.reason, abortMessage].filter((part) => part !== undefined && part !== '').join(': ');
    const app = this.package ?? ofProcess;
    return { kind, process, package: app, reason: cutReason(reason), trace: this.#text.text, atMs, wasInFront };
  }
}
