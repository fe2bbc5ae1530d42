import type { Command, CommandCall } from '../command.js';
import { HeldLines, lines } from '../lines.js';
import { parseOptions } from '../options.js';
import { posixPattern } from '../posix-pattern.js';
import { CommandFailure, pathOf } from '../command.js';
import { eachInput } from './cat.js';
import { joinPath } from '../../files/phone-path.js';

const FLAGS = [...Array.from('EFGivcnoqlLHhwxsarRz'), 'line-buffered', 'color'];

/** Runs `grep`. The status is 0 with a match, 1 without a match, and 2 for a wrong call. */
export const grep: Command = async (call) => {
  const options = parseOptions(call.args, { flags: FLAGS, values: ['e', 'm', 'A', 'B', 'C', 'color'] });
  const patterns = [...options.values('e')];
  let names = [...options.rest];
  if (patterns.length === 0) {
    const [first, ...rest] = names;
    if (first === undefined) throw new CommandFailure('no REGEX', { status: 2 });
    patterns.push(first);
    names = rest;
  }
  const extended = options.has('E') || call.name === 'egrep';
  const ignoreCase = options.has('i');
  const literal = options.has('F') || call.name === 'fgrep';
  const around = options.has('x') ? WHOLE_LINE : options.has('w') ? WHOLE_WORD : undefined;
  const tests = patterns
    .flatMap((pattern) => pattern.split('\n'))
    .map((pattern) => posixPattern(pattern, { extended, literal, ignoreCase, ...(around && { around }) }));
  if (options.has('r') || options.has('R')) names = await filesBelow(call, names.length > 0 ? names : ['.']);

  const after = Number(options.value('A') ?? options.value('C') ?? 0);
  const before = Number(options.value('B') ?? options.value('C') ?? 0);
  const most = Number(options.value('m') ?? Infinity);
  const showName = options.has('H') || (names.length > 1 && !options.has('h')) || options.has('r');
  const seen = { match: false };

  const status = await eachInput(call, names, async (source, name) => {
    const label = name === '-' ? '(standard input)' : name;
    let count = 0;
    let number = 0;
    let trailing = 0;
    const held = new HeldLines(call.memory);
    const print = (text: string, at: number, separator: string): Promise<void> => call.stdout.write(`${showName ? `${label}${separator}` : ''}${options.has('n') ? `${at}${separator}` : ''}${text}\n`); // prettier-ignore
    for await (const line of lines(source)) {
      number++;
      const isMatch = tests.some((test) => test.test(line)) !== options.has('v');
      if (!isMatch) {
        if (trailing-- > 0) await print(line, number, '-');
        else if (before > 0) {
          held.push(line);
          if (held.length > before) held.shift();
        }
        continue;
      }
      count++;
      seen.match = true;
      if (options.has('q') || options.has('l')) break;
      if (!options.has('c') && !options.has('L')) {
        for (let at = number - held.length, line = held.shift(); line !== undefined; at++, line = held.shift())
          await print(line, at, '-');
        if (options.has('o')) {
          for (const test of tests)
            for (const { groups } of test.all(line)) if (groups[0]) await print(groups[0], number, ':');
        } else await print(line, number, ':');
        trailing = after;
      }
      if (count >= most) break;
    }
    if (options.has('c')) await call.stdout.write(`${showName ? `${label}:` : ''}${count}\n`);
    if (options.has('l') && count > 0) await call.stdout.write(`${label}\n`);
    if (options.has('L') && count === 0) await call.stdout.write(`${label}\n`);
  });
  return seen.match ? 0 : status === 0 ? 1 : 2;
};

const WHOLE_LINE = ['^(?:', ')$'] as const;
const WHOLE_WORD = ['\\b(?:', ')\\b'] as const;

async function filesBelow(call: CommandCall, names: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const queue = [...names];
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    const stat = await call.machine.shellFiles.stat(pathOf(call, name));
    if (stat.kind !== 'directory') {
      found.push(name);
      continue;
    }
    const entries = await call.machine.shellFiles.list(pathOf(call, name)).catch(() => []);
    for (const entry of entries) queue.push(joinPath(name, entry.name));
  }
  return found;
}
