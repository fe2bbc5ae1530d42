import { Cancellation } from '../../kit/async/within.js';
import type { Call } from '../../kit/call/call.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import { LineQueue, type TakenLines } from './line-queue.js';
import { type LogFilter, logLetters } from './log-line.js';
import { LogReader } from './read-logs.js';
import { PHONE_CLOCK_COMMAND } from './phone-time.js';

/**
 * Yields lines as they are written, from `filter.sinceMs` on (absent: only new ones), until the caller hangs up. Each item holds the lines
 * that arrived together. No line is lost: where the caller is slow, the phone waits. So this reading is the caller's own, and not the one
 * that others share (SharedLog).
 */
export async function* streamLogs(
  { signal }: Call,
  phoneSession: ReachedPhone,
  filter: LogFilter,
): AsyncGenerator<TakenLines, void, undefined> {
  // `-T 1` begins with the last line there is, which is not a new one. A level would let logcat leave that line out, or not.
  const onlyNew = filter.sinceMs === undefined;
  const reader = new LogReader(filter, phoneSession.clock, onlyNew ? 1 : 0);
  const level = filter.level !== undefined && logLetters.includes(filter.level) ? ` '*:${filter.level}'` : '';
  const command = `${PHONE_CLOCK_COMMAND}; logcat -v threadtime${onlyNew ? ' -T 1' : level}`;
  const lines = new LineQueue('wait');
  // The log gets a link of its own, as a slow reader stalls everything on the same link.
  const link = await phoneSession.link.openApart();
  const stop = new Cancellation([signal]);
  const running = link
    .stream(
      `exec:${command}`,
      // No deadline: a log may be silent for hours.
      { timeoutMs: Infinity, doing: 'follow its log', signal: stop.signal },
      (chunk) => lines.add(reader.push(chunk).map(({ line }) => line)),
    )
    .then(
      () => lines.end(undefined),
      (error: unknown) => lines.end(error),
    );
  try {
    for (let next = await lines.take(); next !== undefined; next = await lines.take()) yield next;
    if (!signal.aborted) lines.throwIfFailed();
  } finally {
    stop.abort(new Error('the reader of the log hung up'));
    lines.end(undefined);
    await running;
    link.close();
  }
}
