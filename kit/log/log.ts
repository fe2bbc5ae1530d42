import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { pino, type Logger } from 'pino';
import { systemClock } from '../async/clock.js';
import { LineBuffer } from './line-buffer.js';

/**
 * JSON lines on standard error. Standard output is for messages to people.
 * Fields end in their unit; `err` holds an Error. Call `child` to add fields to every line of a part.
 */
export type Log = Logger;

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/**
 * Fields that may hold a secret. Their values are hidden at the top of a line and one level deeper. Each call lists what it logs by name;
 * this list catches mistakes.
 */
const SECRET_FIELDS = ['authorization', 'cookie', 'password', 'api_key', 'apiKey', 'code', 'secret', 'proxy', 'token'];

export interface LogOptions {
  level: LogLevel;
  /** Colours and one-line layout, for a terminal. */
  pretty: boolean;
}

/** Creates a log. `lines` takes its lines unless `pretty` is set. Absent: they go to standard error. */
export function createLog({ level, pretty }: LogOptions, lines?: LineBuffer): Log {
  const options = {
    level,
    base: null,
    redact: { paths: SECRET_FIELDS.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
  };
  if (!pretty) return pino(options, lines ?? linesTo());
  const transport: unknown = pino.transport({
    target: 'pino-pretty',
    options: { destination: STANDARD_ERROR, ignore: 'pid,hostname', singleLine: true, translateTime: 'SYS:HH:MM:ss' },
  });
  return pino({ ...options, formatters: {} }, transport as pino.DestinationStream);
}

/**
 * Returns a buffer that writes lines to a file descriptor, by default standard error. The service never waits for a reader. Node makes its
 * stream of standard error here, which sets pipes and sockets to return at once when they are full. Lines that still wait are written when
 * the process exits, also by an uncaught error. After kill -9, lines of the last turn and lines that no reader has taken are lost.
 */
export function linesTo(fd = STANDARD_ERROR): LineBuffer {
  // The service goes on when the reader of its log is gone.
  if (fd === STANDARD_ERROR && !process.stderr.listeners('error').includes(ignoreFault))
    process.stderr.on('error', ignoreFault);
  const output = ownOpening(fd);
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const lines = new LineBuffer({
    write: (bytes) => writeSync(output, bytes),
    clock: systemClock,
    pause: (ms) => void Atomics.wait(cell, 0, 0, ms),
    droppedLine: (count) =>
      `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), lines: count, msg: 'lines of the log were dropped here: its reader stood still' })}\n`,
  });
  if (endedAtExit.size === 0) process.on('exit', endAll);
  endedAtExit.add(lines);
  return lines;
}

/** The buffers of this process. One listener serves all of them, as Node warns of more than ten. */
const endedAtExit = new Set<LineBuffer>();

function endAll(): void {
  for (const lines of endedAtExit) lines.end();
}

function ignoreFault(): void {
  // There is no other place to report a fault of standard error.
}

/**
 * Opens a pipe once more, for this process alone. All processes that inherited a pipe share its non-blocking flag. Each of them may change
 * the flag when it starts another process or ends. A file that cannot be opened again, such as a socket, is used as it is.
 */
function ownOpening(fd: number): number {
  try {
    if (!fstatSync(fd).isFIFO()) return fd;
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return fd;
  }
}

const STANDARD_ERROR = 2;

/** A log that goes nowhere, for tests and for parts built without one. */
export const silentLog: Log = pino({ level: 'silent' });
