import { CommandFailure, type Command } from '../command.js';
import { allLines, lines } from '../lines.js';
import { parseOptions } from '../options.js';
import { eachInput } from './cat.js';

export const wc: Command = async (call) => {
  const options = parseOptions(call.args, { flags: ['l', 'w', 'c', 'm'] });
  const shown = ['l', 'w', 'c', 'm'].filter((flag) => options.has(flag));
  const columns = shown.length > 0 ? shown : ['l', 'w', 'c'];
  const total: Record<string, number> = { l: 0, w: 0, c: 0, m: 0 };
  const row = (counts: Record<string, number>, name: string): string => `${columns.map((column) => (columns.length > 1 ? String(counts[column] ?? 0).padStart(8) : String(counts[column] ?? 0))).join('')}${name === '-' ? '' : ` ${name}`}\n`; // prettier-ignore
  const status = await eachInput(call, options.rest, async (source, name) => {
    const counts: Record<string, number> = { l: 0, w: 0, c: 0, m: 0 };
    let inWord = false;
    for (let bytes = await source.read(); bytes; bytes = await source.read()) {
      counts['c'] = (counts['c'] ?? 0) + bytes.length;
      for (const byte of bytes) {
        if (byte === 10) counts['l'] = (counts['l'] ?? 0) + 1;
        if ((byte & 0xc0) !== 0x80) counts['m'] = (counts['m'] ?? 0) + 1;
        const isBlank = byte === 32 || (byte >= 9 && byte <= 13);
        if (!isBlank && !inWord) counts['w'] = (counts['w'] ?? 0) + 1;
        inWord = !isBlank;
      }
    }
    for (const [key, count] of Object.entries(counts)) total[key] = (total[key] ?? 0) + count;
    await call.stdout.write(row(counts, name));
  });
  if (options.rest.length > 1) await call.stdout.write(row(total, 'total'));
  return status;
};

export const sort: Command = async (call) => {
  const options = parseOptions(call.args, { flags: ['n', 'r', 'u', 'f', 'b', 'V', 'g'], values: ['k', 't', 'o'] });
  const all: string[] = [];
  const status = await eachInput(call, options.rest, async (source) => {
    for (const line of await allLines(source, call.memory)) all.push(line);
  });
  const key = Number(options.value('k')?.split(/[.,]/)[0] ?? 0);
  const separator = options.value('t');
  const byNumber = options.has('n') || options.has('g');
  const keyed = all.map((line) => {
    const fields = separator === undefined ? line.trim().split(/\s+/) : line.split(separator);
    const field = key === 0 ? line : fields.slice(key - 1).join(separator ?? ' ');
    return {
      line,
      text: options.has('f') && !byNumber ? field.toLowerCase() : field,
      number: byNumber ? parseFloat(field) || 0 : 0,
    };
  });
  type Keyed = (typeof keyed)[number];
  const compare = (a: Keyed, b: Keyed): number =>
    a.number - b.number || (a.text < b.text ? -1 : a.text > b.text ? 1 : 0);
  let sorted = keyed.sort(compare);
  if (options.has('r')) sorted = sorted.reverse();
  if (options.has('u')) sorted = sorted.filter((one, at) => at === 0 || compare(sorted[at - 1] ?? one, one) !== 0);
  await call.stdout.write(sorted.map(({ line }) => `${line}\n`).join(''));
  return status;
};

export const uniq: Command = (call) => {
  const options = parseOptions(call.args, { flags: ['c', 'd', 'u', 'i'] });
  return eachInput(call, options.rest.slice(0, 1), async (source) => {
    let held: string | undefined;
    let count = 0;
    const flush = async (): Promise<void> => {
      if (held === undefined || (options.has('d') && count < 2) || (options.has('u') && count > 1)) return;
      await call.stdout.write(`${options.has('c') ? `${String(count).padStart(7)} ` : ''}${held}\n`);
    };
    for await (const line of lines(source)) {
      if (line === held) {
        count++;
        continue;
      }
      await flush();
      held = line;
      count = 1;
    }
    await flush();
  });
};

export const cut: Command = (call) => {
  const options = parseOptions(call.args, { flags: ['s'], values: ['d', 'f', 'c', 'b'] });
  const list = options.value('f') ?? options.value('c') ?? options.value('b');
  if (list === undefined) throw new CommandFailure('bad -f/-c/-b');
  const ranges = list.split(',').map((part) => {
    const [from = '', to] = part.split('-');
    return { from: Number(from || 1), to: to === undefined ? Number(from) : to === '' ? Infinity : Number(to) };
  });
  const isPicked = (at: number): boolean => ranges.some(({ from, to }) => at >= from && at <= to);
  const delimiter = options.value('d') ?? '\t';
  return eachInput(call, options.rest, async (source) => {
    for await (const line of lines(source)) {
      if (options.value('f') === undefined) {
        await call.stdout.write(`${Array.from(line).filter((_char, at) => isPicked(at + 1)).join('')}\n`); // prettier-ignore
      } else if (!line.includes(delimiter)) {
        if (!options.has('s')) await call.stdout.write(`${line}\n`);
      } else {
        const fields = line.split(delimiter).filter((_field, at) => isPicked(at + 1));
        await call.stdout.write(`${fields.join(delimiter)}\n`);
      }
    }
  });
};

export const tr: Command = async (call) => {
  const options = parseOptions(call.args, { flags: ['d', 's', 'c', 'C'] });
  const [fromText = '', toText = ''] = options.rest;
  const from = new Map(trSet(fromText).map((char, at) => [char, at]));
  const to = trSet(toText);
  const complement = options.has('c') || options.has('C');
  for await (const chunk of textChunks(call.stdin)) {
    let result = '';
    for (const char of chunk) {
      const at = from.get(char) ?? -1;
      const isIn = at >= 0 !== complement;
      if (isIn && options.has('d')) continue;
      const mapped = isIn && to.length > 0 ? (complement ? to.at(-1) : (to[at] ?? to.at(-1))) : char;
      if (options.has('s') && isIn && result.endsWith(mapped ?? '')) continue;
      result += mapped ?? '';
    }
    await call.stdout.write(result);
  }
  return 0;
};

const MAX_SET = 100_000;

/** Returns the characters of a set such as `a-z`, `[:upper:]` and `\n`. */
function trSet(text: string): string[] {
  const classes: Record<string, string> = { upper: 'A-Z', lower: 'a-z', digit: '0-9', alpha: 'A-Za-z', alnum: 'A-Za-z0-9', space: ' \t\n\r' }; // prettier-ignore
  const chars = Array.from(
    text
      .replace(/\[:(\w+):\]/g, (whole, name: string) => classes[name] ?? whole)
      .replace(/\\([ntr\\0])/g, (_whole, letter: string) => ({ n: '\n', t: '\t', r: '\r', '\\': '\\', '0': '\0' })[letter] ?? ''), // prettier-ignore
  );
  const set: string[] = [];
  for (let at = 0; at < chars.length; at++) {
    const [first = '', dash, last] = chars.slice(at, at + 3);
    if (dash !== '-' || last === undefined) {
      set.push(first);
      continue;
    }
    for (let code = first.charCodeAt(0); code <= last.charCodeAt(0); code++) set.push(String.fromCharCode(code));
    if (set.length > MAX_SET) throw new CommandFailure('set too long');
    at += 2;
  }
  return set;
}

async function* textChunks(source: { read(): Promise<Buffer | undefined> }): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for (let bytes = await source.read(); bytes; bytes = await source.read())
    yield decoder.decode(bytes, { stream: true });
  yield decoder.decode();
}
