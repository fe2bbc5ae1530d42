import type { StoredLine } from '../../logcat/log-ring.js';
import type { LogBuffer } from '../../system/system.js';
import { Mailbox } from '../../streams/mailbox.js';
import { CommandFailure, type Command } from '../command.js';
import { parseOptions } from '../options.js';
import { posixPattern } from '../posix-pattern.js';
import { FORMAT_WORDS, lineDate, logFormatter } from './log-format.js';
import { parseLogFilter } from './log-filter.js';

const BUFFERS: readonly LogBuffer[] = ['main', 'system', 'crash', 'events', 'radio'];
const DEFAULT_BUFFERS: readonly LogBuffer[] = ['main', 'system', 'crash'];

/**
 * `logcat` streams until the client leaves. With `-d`, `-L` or `-t` it ends by itself, and with `-m` after that many lines. A client that
 * does not keep up loses the oldest lines.
 */
export const logcat: Command = async (call) => {
  const { machine, stdout } = call;
  const options = parseOptions(call.args, {
    flags: ['d', 'c', 'g', 's', 'L', 'D', 'S', 'clear', 'last', 'dividers', 'statistics'],
    values: ['b', 'v', 't', 'T', 'e', 'm', 'G', 'pid', 'regex', 'buffer', 'format', 'max-count'],
  });
  const buffers = chosenBuffers([...options.values('b'), ...options.values('buffer')]);
  if (options.has('c') || options.has('clear')) {
    machine.logcat.clear(buffers);
    return 0;
  }
  if (options.has('g')) {
    for (const buffer of buffers) await stdout.write(`${buffer}: ring buffer is 256 KiB (12 KiB consumed, 240 KiB readable), max entry is 5120 B, max payload is 4068 B\n`); // prettier-ignore
    return 0;
  }
  const size = options.value('G');
  if (size !== undefined && !/^\d+[KMGkmg]?$/.test(size)) throw new CommandFailure(`-G "${size}" is not a size`);
  if (size !== undefined) return 0;
  if (options.has('S') || options.has('statistics')) {
    await stdout.write(statistics(machine.logcat.lines(), [...buffers]));
    return 0;
  }
  const style = (options.values('v').concat(options.values('format')).join(',') || 'threadtime').split(/[, ]/);
  for (const word of style)
    if (word !== '' && !FORMAT_WORDS.has(word)) throw new CommandFailure(`Invalid parameter "${word}" to -v`);
  const zone = machine.properties.get('persist.sys.timezone');
  const specs = options.rest.length > 0 ? options.rest : (call.environment.get('ANDROID_LOG_TAGS') ?? '').split(/\s+/);
  const accepts = parseLogFilter(specs, { silent: options.has('s') });
  const text = options.value('e') ?? options.value('regex');
  const expression = text === undefined ? undefined : posixPattern(text, { extended: true });
  const pid = options.value('pid');
  const isWanted = (line: StoredLine): boolean =>
    buffers.has(line.buffer) &&
    accepts(line) &&
    (expression?.test(line.message) ?? true) &&
    (pid === undefined || line.pid === Number(pid));

  const since = options.value('t') ?? options.value('T');
  let past = machine.logcat.lines().filter(isWanted);
  if (since !== undefined) {
    if (/^\d+$/.test(since)) past = past.slice(-Number(since));
    else {
      const sinceMs = lineDate(since, machine.clock.now(), zone);
      if (sinceMs === undefined) throw new CommandFailure(`-t "${since}" not in time format`);
      past = past.filter((line) => line.timeMs >= sinceMs);
    }
  }
  const format = logFormatter(style, zone);
  const begun = new Set<LogBuffer>();
  const print = (line: StoredLine): string => {
    const isBinaryLike = style.includes('raw');
    const head = begun.has(line.buffer) || isBinaryLike ? '' : `--------- beginning of ${line.buffer}\n`;
    begun.add(line.buffer);
    return head + format(line);
  };
  const most = options.value('m') ?? options.value('max-count');
  if (most !== undefined && !/^[1-9]\d*$/.test(most)) throw new CommandFailure(`-m "${most}" isn't a number greater than zero`); // prettier-ignore
  let left = Number(most ?? Infinity);
  const follows = !(options.has('d') || options.has('L') || options.has('t'));
  // From now on, as lines come while the past ones are written.
  const waiting = new Mailbox<StoredLine>(MAX_WAITING_LINES);
  const stop = follows
    ? machine.logcat.onLine((line) => {
        if (isWanted(line)) waiting.add(line);
      })
    : () => undefined;
  const end = (): void => waiting.close();
  call.signal.addEventListener('abort', end, { once: true });
  // The client may have left already. Then no abort event follows.
  if (call.signal.aborted) end();
  try {
    for (let at = 0; at < past.length && left > 0; at += LINES_PER_WRITE) {
      const some = past.slice(at, at + Math.min(LINES_PER_WRITE, left));
      left -= some.length;
      await stdout.write(some.map(print).join(''));
    }
    if (!follows || left <= 0) return 0;
    for (let some = await waiting.take(); some; some = await waiting.take()) {
      await stdout.write(some.slice(0, left).map(print).join(''));
      left -= some.length;
      if (left <= 0) break;
    }
  } finally {
    stop();
    call.signal.removeEventListener('abort', end);
  }
  return 0;
};

/** Returns the output of `logcat -S`: how much each buffer holds. */
function statistics(lines: readonly StoredLine[], buffers: readonly LogBuffer[]): string {
  const row = (head: string, cells: readonly string[]): string =>
    `${head.padEnd(9)}${cells.map((cell) => cell.padEnd(14)).join('')}`.trimEnd();
  const cell = (some: readonly StoredLine[]): string =>
    `${some.reduce((sum, { tag, message }) => sum + tag.length + message.length + 3, 0)}/${some.length}`;
  const cells = buffers.map((buffer) => cell(lines.filter((line) => line.buffer === buffer)));
  const all = cell(lines.filter(({ buffer }) => buffers.includes(buffer)));
  const head = row('size/num', [...buffers, 'Total']);
  return `${head}\n${row('Total', [...cells, all])}\n${row('Now', [...cells, all])}\n`;
}

const LINES_PER_WRITE = 500;
const MAX_WAITING_LINES = 5_000;

function chosenBuffers(words: readonly string[]): Set<LogBuffer> {
  const names = words.flatMap((word) => word.split(','));
  if (names.length === 0 || names.includes('default')) return new Set(DEFAULT_BUFFERS);
  if (names.includes('all')) return new Set(BUFFERS);
  return new Set(
    names.flatMap((name): LogBuffer[] => {
      const found = BUFFERS.find((buffer) => buffer === name);
      if (found) return [found];
      if (['kernel', 'security', 'stats'].includes(name)) return [];
      throw new CommandFailure(`Unknown -b buffer '${name}'`);
    }),
  );
}
