import type { Call } from '../../kit/call.js';
import { phoneUnavailable } from '../../phone/link/phone-errors.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import { LineSplitter } from './line-splitter.js';
import { type LogFilter, type LogLine, passes } from './log-line.js';
import { parseThreadtime } from './parse-threadtime.js';
import { localTimes, parsePhoneClock, PHONE_CLOCK_COMMAND } from './phone-time.js';

export interface ReadLogs {
  /** Oldest first. */
  lines: LogLine[];
  /** The same lines as logcat prints them (threadtime, the phone's local time). */
  text: string;
}

/** The newest `most` lines that pass the filter, oldest first. */
export async function readLogs({ signal }: Call, kept: KeptPhone, filter: LogFilter, most: number): Promise<ReadLogs> {
  // Without a filter the phone picks the newest; with one it would pick before filtering, so then all are read.
  const all = filter.level !== undefined || filter.tag !== undefined || filter.sinceMs !== undefined;
  const level = filter.level === undefined ? '' : ` '*:${filter.level}'`;
  const command = `${PHONE_CLOCK_COMMAND}; logcat -d -v threadtime${all ? level : ` -t ${most}`}`;
  const reader = new LogReader(filter);
  const newest: { line: LogLine; text: string }[] = [];
  let bytes = 0;
  await kept.link.stream(
    `exec:${command}`,
    { timeoutMs: kept.limits.commandTimeoutMs, doing: 'print its log', signal },
    (chunk) => {
      bytes += chunk.length;
      if (bytes > kept.limits.logMaxBytes) {
        throw phoneUnavailable(`The phone's log is over ${kept.limits.logMaxBytes} bytes.`);
      }
      newest.push(...reader.push(chunk));
      // Cut back from time to time and not for each line, which would move the whole list each time.
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
  readonly #head: string[] = [];
  #timeOf: ReturnType<typeof localTimes> | undefined;

  constructor(filter: LogFilter) {
    this.#filter = filter;
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
        this.#timeOf = localTimes(clock);
        continue;
      }
      const line = parseThreadtime(text, this.#timeOf);
      if (line !== undefined && passes(this.#filter, line)) passed.push({ line, text });
    }
    return passed;
  }
}
