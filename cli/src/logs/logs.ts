import type { Invocation } from '../command/command.js';
import { UsageError } from '../output/usage-error.js';
import { plainLine, plainText } from '../output/plain-text.js';
import { openService } from '../service/connection.js';
import { devicePath } from '../service/list-items.js';
import type { Schemas } from '../service/types.js';

type LogLine = Schemas['LogLine'];

const LOG_LEVELS = ['verbose', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

const MAX_LINES = 5_000;

export async function run(invocation: Invocation): Promise<void> {
  const { options } = invocation;
  const lines = options.number('lines', { min: 0, max: MAX_LINES });
  return options.flag('follow') ? follow(invocation, lines ?? 10) : printLines(invocation, lines ?? 500);
}

async function printLines(invocation: Invocation, lines: number): Promise<void> {
  const { words, options, terminal, signal } = invocation;
  if (lines === 0) throw new UsageError('--lines is 0. Without --follow it must be 1 or more.');
  const level = levelOf(options.text('level'));
  const tag = options.text('tag');
  const query = new URLSearchParams({
    lines: String(lines),
    ...(level !== undefined && { level }),
    ...(tag !== undefined && { tag }),
  });
  const isJson = options.flag('json');
  const { phone } = openService(invocation);
  const path = devicePath(words[0] ?? '', `/logs?${query.toString()}`);
  const headers = { accept: isJson ? 'application/json' : 'text/plain' };
  const text = await (await phone.request('GET', path, { headers, signal })).text();
  if (isJson) terminal.line(JSON.stringify(JSON.parse(text), undefined, 2));
  else if (text !== '') terminal.line(plainText(text).trimEnd());
}

async function follow(invocation: Invocation, sinceLines: number): Promise<void> {
  const { words, options, terminal, signal } = invocation;
  const level = levelOf(options.text('level'));
  const tag = options.text('tag');
  const isJson = options.flag('json');
  const { phone } = openService(invocation);
  const wanted = { sinceLines, signal, ...(level !== undefined && { level }), ...(tag !== undefined && { tag }) };
  for await (const event of phone.followLogs(words[0] ?? '', wanted)) {
    if ('lost' in event) {
      const object = { event: 'lost', lines: event.lost };
      if (isJson) terminal.line(JSON.stringify(object));
      else terminal.note(`${event.lost} lines came faster than they could be sent, and are left out here.`);
    } else terminal.line(isJson ? JSON.stringify(event.line) : lineText(event.line));
  }
}

/** Returns a line as `logcat -v threadtime` has it, with the time of UTC. */
function lineText({ time, pid, tid, level, tag, message }: LogLine): string {
  const [date = '', clock = ''] = time.split('T');
  const when = `${date.slice(5)} ${clock.slice(0, 12)}`;
  const where = `${String(pid).padStart(5)} ${String(tid).padStart(5)}`;
  return plainLine(`${when} ${where} ${level.charAt(0).toUpperCase()} ${tag.padEnd(8)}: ${message}`);
}

function levelOf(text: string | undefined): LogLine['level'] | undefined {
  if (text === undefined) return undefined;
  const level = LOG_LEVELS.find((one) => one === text);
  if (level === undefined) throw new UsageError(`--level is "${text}". It must be one of ${LOG_LEVELS.join(', ')}.`);
  return level;
}
