import { pino, type Logger } from 'pino';

/**
 * JSON lines on standard error. Standard output is for messages to people.
 * Fields end in their unit; `err` holds an Error. Call `child` to add fields to every line of a part.
 */
export type Log = Logger;

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/**
 * Fields that can hold a secret wherever they turn up, one level deep or at the top of a line. Everything logged on
 * purpose is listed by name at its call; this is the net under it.
 */
const SECRET_FIELDS = ['authorization', 'cookie', 'password', 'api_key', 'apiKey', 'code', 'secret', 'proxy', 'token'];

export interface LogOptions {
  level: LogLevel;
  /** Colours and one-line layout, for a terminal. */
  pretty: boolean;
}

/** `fd` is the file that lines go to. Absent: standard error. */
export function createLog({ level, pretty }: LogOptions, fd = 2): Log {
  const options = {
    level,
    base: null,
    redact: { paths: SECRET_FIELDS.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
  };
  if (!pretty) return pino(options, batchedDestination(fd));
  const transport: unknown = pino.transport({
    target: 'pino-pretty',
    options: { destination: fd, ignore: 'pid,hostname', singleLine: true, translateTime: 'SYS:HH:MM:ss' },
  });
  return pino({ ...options, formatters: {} }, transport as pino.DestinationStream);
}

/** Lines gathered before they are written in any case, in characters: a turn that logs this much should not hold it in memory. */
const BATCH_CHARACTERS = 64 * 1024;

/**
 * Writes the lines of one turn of the event loop together: a busy service saves most of its writes, and a line waits for less than
 * a millisecond. They are also written when the process exits, by an uncaught error too; only kill -9 can lose the last turn's.
 */
function batchedDestination(fd: number): pino.DestinationStream {
  const destination = pino.destination({ fd, sync: true });
  let waiting = '';
  const flush = (): void => {
    const lines = waiting;
    waiting = '';
    if (lines !== '') destination.write(lines);
  };
  process.on('exit', flush);
  return {
    write: (line) => {
      if (waiting === '') setImmediate(flush);
      waiting += line;
      if (waiting.length >= BATCH_CHARACTERS) flush();
    },
  };
}

/** A log that goes nowhere, for tests and for parts built without one. */
export const silentLog: Log = pino({ level: 'silent' });
