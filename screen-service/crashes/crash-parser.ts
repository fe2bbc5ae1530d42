import type { LogLine } from '../logs/log-line.js';
import { hasTag } from '../logs/log-tags.js';
import { packageOfProcess, SYSTEM_PROCESS } from './app-process.js';
import {
  abortMessage,
  anrStart,
  CRASH_TAGS,
  deathOf,
  endBySignal,
  exceptionProcess,
  exceptionStart,
  fatalSignal,
  isTombstoneStart,
  tombstoneProcess,
  tombstoneSignal,
  tombstoneUid,
} from './crash-lines.js';
import type { FoundCrash } from './found-crash.js';
import { OpenTrace } from './open-trace.js';
import { SeenEnds } from './seen-ends.js';

/** Most traces that are open at a time. With a further one, the oldest is taken as it is, so that hostile lines fill no memory. */
const MAX_OPEN = 8;

/** A trace is complete when no line of it has come for this time, ms. A phone writes it in one go. */
const QUIET_MS = 1_000;

/** A trace is complete after this time in any case, ms: a process may write without end. */
const MAX_OPEN_MS = 5_000;

/** Lines of one trace are at most this far apart, by the phone's clock, ms. */
const MAX_GAP_MS = 2_000;

/** How long the lines about the end of a process may be apart, by the phone's clock, ms. A tombstone of a large app takes seconds. */
const ENDS_KEPT_MS = 60_000;

/**
 * Finds crashes in the lines of one phone's log. Lines of several processes may be mixed, and a trace is returned once it is complete. The
 * parser has no clock of its own: `nowMs` is when a line arrived, monotonic.
 */
export class CrashParser {
  /** The open traces by the thread that writes them, the oldest first. */
  readonly #open = new Map<string, { trace: OpenTrace; openedMs: number; lastMs: number }>();
  /** Signals that processes got, of which no tombstone is known yet. */
  readonly #signals = new SeenEnds<{ line: LogLine; reason: string }>(ENDS_KEPT_MS);
  /** Processes that have died. */
  readonly #died = new SeenEnds<{ process: string; wasInFront: boolean }>(ENDS_KEPT_MS);
  /** Processes with a trace. */
  readonly #traced = new SeenEnds<true>(ENDS_KEPT_MS);

  /** Takes a line. Returns the crashes that it completes. */
  push(line: LogLine, nowMs: number): FoundCrash[] {
    if (!hasTag(CRASH_TAGS, line)) return [];
    const done = this.takeComplete(nowMs);
    const { tag, pid, tid } = line;
    switch (tag) {
      case 'AndroidRuntime':
        this.#exception(`java ${pid}`, line, nowMs, done);
        break;
      case 'DEBUG':
        this.#tombstone(`native ${pid}`, line, nowMs, done);
        break;
      case 'ActivityManager':
        this.#activityManager(`anr ${pid} ${tid}`, line, nowMs, done);
        break;
      case 'libc':
        this.#signal(line, fatalSignal(line.message), nowMs, done);
        break;
      case 'Zygote':
        this.#signal(line, endBySignal(line.message), nowMs, done);
        break;
    }
    return done;
  }

  /** Returns the crashes whose lines have all come by now. */
  takeComplete(nowMs: number): FoundCrash[] {
    const done: FoundCrash[] = [];
    for (const [key, { openedMs, lastMs }] of this.#open)
      if (nowMs - lastMs >= QUIET_MS || nowMs - openedMs >= MAX_OPEN_MS) this.#finish(key, done);
    return done;
  }

  /** When the next open trace is complete if no further line comes, monotonic ms. Undefined: none is open. */
  get nextCompleteMs(): number | undefined {
    const times = [...this.#open.values()].map(({ openedMs, lastMs }) =>
      Math.min(lastMs + QUIET_MS, openedMs + MAX_OPEN_MS),
    );
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** The packages whose traces are open. */
  get openPackages(): string[] {
    return [...this.#open.values()].flatMap(({ trace }) => trace.crash?.package ?? []);
  }

  #exception(key: string, line: LogLine, nowMs: number, done: FoundCrash[]): void {
    const start = exceptionStart(line.message);
    if (start !== undefined) {
      const trace = this.#begin(key, new OpenTrace('java', line), nowMs, done);
      trace.pid = line.pid;
      if (start.isOfSystem) trace.process = SYSTEM_PROCESS;
      this.#traced.note(line.pid, true, line.timeMs);
      return;
    }
    const trace = this.#continue(key, line, nowMs, done);
    if (trace === undefined) return;
    const owner = trace.lines === 2 ? exceptionProcess(line.message) : undefined;
    if (owner === undefined) trace.reason ??= line.message;
    // Android writes the pid of the writer. Another one shows that an app has written the line itself.
    else if (owner.pid !== line.pid) trace.isRefused = true;
    else trace.process ??= owner.process;
  }

  #tombstone(key: string, line: LogLine, nowMs: number, done: FoundCrash[]): void {
    const { message } = line;
    const owner = tombstoneProcess(message);
    const known = this.#open.get(key)?.trace;
    if (isTombstoneStart(message) || (owner !== undefined && known === undefined))
      this.#begin(key, new OpenTrace('native', line), nowMs, done);
    else if (this.#continue(key, line, nowMs, done) === undefined) return;
    const trace = this.#open.get(key)?.trace;
    if (trace === undefined) return;
    if (owner !== undefined && trace.pid === undefined) {
      trace.pid = owner.pid;
      // A process that has just begun has no name of its own yet.
      const isApp = packageOfProcess(owner.process) !== undefined;
      trace.process = isApp ? owner.process : (this.#died.of(owner.pid, line.timeMs)?.process ?? owner.process);
      this.#signals.forget(owner.pid);
      this.#traced.note(owner.pid, true, line.timeMs);
      return;
    }
    trace.uid ??= tombstoneUid(message);
    trace.abortMessage ??= abortMessage(message);
    const signal = trace.reason === undefined ? tombstoneSignal(message) : undefined;
    if (signal === undefined) return;
    trace.reason = signal.reason;
    if (!signal.isCrash) trace.isRefused = true;
  }

  #activityManager(key: string, line: LogLine, nowMs: number, done: FoundCrash[]): void {
    const { message, level } = line;
    if (level !== 'E') {
      const died = deathOf(message);
      if (died !== undefined) this.#death(died, line, nowMs, done);
      return;
    }
    const start = anrStart(message);
    if (start !== undefined) {
      const trace = this.#begin(key, new OpenTrace('anr', line), nowMs, done);
      trace.process = start.process;
      trace.package = start.package;
      return;
    }
    const trace = this.#continue(key, line, nowMs, done);
    if (trace !== undefined && message.startsWith('Reason: ')) trace.reason ??= message.slice('Reason: '.length);
  }

  #death(died: NonNullable<ReturnType<typeof deathOf>>, line: LogLine, nowMs: number, done: FoundCrash[]): void {
    const { process, pid, wasInFront } = died;
    this.#died.note(pid, died, line.timeMs);
    for (const [key, { trace }] of this.#open) {
      if (trace.pid !== pid || trace.kind === 'anr') continue;
      if (trace.process !== undefined && packageOfProcess(trace.process) === undefined) trace.process = process;
      trace.wasInFront = wasInFront;
      // Nothing of a process comes after its death.
      this.#finish(key, done);
    }
    this.#crashWithoutTombstone(pid, line, nowMs, done);
  }

  #signal(line: LogLine, seen: { pid: number; reason: string } | undefined, nowMs: number, done: FoundCrash[]): void {
    if (seen === undefined) return;
    const { pid, reason } = seen;
    // libc's line is written by the process itself, and Zygote's by the parent of all apps.
    if (line.tag === 'libc' && line.pid !== pid) return;
    if (this.#traced.of(pid, line.timeMs) !== undefined) return;
    if (this.#signals.of(pid, line.timeMs) === undefined) this.#signals.note(pid, { line, reason }, line.timeMs);
    this.#crashWithoutTombstone(pid, line, nowMs, done);
  }

  /** Opens the trace of a process that has died by a signal; its tombstone may be missing. */
  #crashWithoutTombstone(pid: number, line: LogLine, nowMs: number, done: FoundCrash[]): void {
    const signal = this.#signals.of(pid, line.timeMs);
    const died = this.#died.of(pid, line.timeMs);
    if (signal === undefined || died === undefined) return;
    this.#signals.forget(pid);
    this.#traced.note(pid, true, line.timeMs);
    const trace = this.#begin(`signal ${pid}`, new OpenTrace('native', signal.line), nowMs, done);
    trace.process = died.process;
    trace.wasInFront = died.wasInFront;
    trace.pid = pid;
    trace.reason = signal.reason;
    if (line !== signal.line) trace.add(line);
  }

  #begin(key: string, trace: OpenTrace, nowMs: number, done: FoundCrash[]): OpenTrace {
    this.#finish(key, done);
    for (const oldest of this.#open.keys()) {
      if (this.#open.size < MAX_OPEN) break;
      this.#finish(oldest, done);
    }
    this.#open.set(key, { trace, openedMs: nowMs, lastMs: nowMs });
    return trace;
  }

  /** Adds a line to the open trace of its thread, and returns the trace. */
  #continue(key: string, line: LogLine, nowMs: number, done: FoundCrash[]): OpenTrace | undefined {
    const open = this.#open.get(key);
    if (open === undefined) return undefined;
    if (open.trace.isApartFrom(line, MAX_GAP_MS)) {
      this.#finish(key, done);
      return undefined;
    }
    open.trace.add(line);
    open.lastMs = nowMs;
    return open.trace;
  }

  #finish(key: string, done: FoundCrash[]): void {
    const crash = this.#open.get(key)?.trace.crash;
    this.#open.delete(key);
    if (crash !== undefined) done.push(crash);
  }
}
