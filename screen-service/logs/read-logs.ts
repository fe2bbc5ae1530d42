import type { Clock } from '../../kit/async/clock.js';
import type { Call } from '../../kit/call/call.js';
import { phoneUnavailable } from '../../phone/link/phone-errors.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import { LineSplitter } from './line-splitter.js';
import { type LogFilter, type LogLine, passes } from './log-line.js';
import { parseThreadtime } from './parse-threadtime.js';
import { localTimes, parsePhoneClock, PHONE_CLOCK_COMMAND } from './phone-time.js';

export interface ReadLogs {
  /** The lines, the oldest first. */
  lines: LogLine[];
  /** The same lines as logcat prints them (threadtime, the phone's local time). */
  text: string;
}

/** Returns the newest `most` lines that pass the filter, oldest first. */
export async function readLogs(
  { signal }: Call,
  phoneSession: ReachedPhone,
  filter: LogFilter,
  most: number,
): Promise<ReadLogs> {
  // Without a filter the phone picks the newest lines. With a filter the phone would pick lines before it filters them, so all lines are
  // read.
  const all = filter.level !== undefined || filter.tag !== undefined || filter.sinceMs !== undefined;
  const level = filter.level === undefined ? '' : ` '*:${filter.level}'`;
  const command = `${PHONE_CLOCK_COMMAND}; logcat -d -v threadtime${all ? level : ` -t ${most}`}`;
  const reader = new LogReader(filter, phoneSession.clock);
  const newest: { line: LogLine; text: string }[] = [];
  let bytes = 0;
  await phoneSession.link.stream(
    `exec:${command}`,
    { timeoutMs: phoneSession.limits.commandTimeoutMs, doing: 'print its log', signal },
    (chunk) => {
      bytes += chunk.length;
      if (bytes > phoneSession.limits.maxLogBytes) {
        throw phoneUnavailable(`The phone's log is over ${phoneSession.limits.maxLogBytes} bytes.`);
      }
      newest.push(...reader.push(chunk));
      // Each cut moves the whole list, so the list is cut only when it is twice as long as it may be.
      if (newest.length > most * 2) newest.splice(0, newest.length - most);
    },
  );
  const last = newest.slice(-most);
  return { lines: last.map(({ line }) => line), text: last.map(({ text }) => `${text}\n`).join('') };
}

/** Reads the output of PHONE_CLOCK_COMMAND and then logcat's. */
export class LogReader {
  readonly #splitter = new LineSplitter();
  readonly #filter: LogFilter;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #head: string[] = [];
  #timeOf: ReturnType<typeof localTimes> | undefined;
  /** The phone's time less the monotonic time of this process, ms. */
  #phoneAheadMs = 0;
  /** How many lines are left out next, whether they pass the filter or not. */
  #leftOut: number;

  /** `leftOut` is the number of lines at the beginning that are never returned. Absent: 0. */
  constructor(filter: LogFilter, clock: Pick<Clock, 'monotonicMs'>, leftOut = 0) {
    this.#filter = filter;
    this.#clock = clock;
    this.#leftOut = leftOut;
  }

  /** Whether the time of the phone has come, which is printed before the log. */
  get hasBegun(): boolean {
    return this.#timeOf !== undefined;
  }

  /** The time of the phone's clock, at most a second behind; undefined before it has come. */
  get phoneNowMs(): number | undefined {
    return this.hasBegun ? this.#clock.monotonicMs() + this.#phoneAheadMs : undefined;
  }

  push(chunk: Buffer): { line: LogLine; text: string }[] {
    const passed: { line: LogLine; text: string }[] = [];
    for (const text of this.#splitter.push(chunk)) {
      if (this.#timeOf === undefined) {
        this.#head.push(text);
        const [dateLine, zoneLine] = this.#head;
        if (dateLine === undefined || zoneLine === undefined) continue;
        const clock = parsePhoneClock(dateLine, zoneLine);
        if (clock === undefined)
          throw phoneUnavailable('The phone does not print its time, so its log cannot be dated.');
        const beganMs = this.#clock.monotonicMs();
        this.#phoneAheadMs = clock.nowMs - beganMs;
        this.#timeOf = localTimes(clock, () => this.#clock.monotonicMs() - beganMs);
        continue;
      }
      const line = parseThreadtime(text, this.#timeOf);
      if (line === undefined) continue;
      if (this.#leftOut > 0) this.#leftOut--;
      else if (passes(this.#filter, line)) passed.push({ line, text });
    }
    return passed;
  }
}
