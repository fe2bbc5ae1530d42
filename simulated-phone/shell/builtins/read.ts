import { begunAhead } from '../../../kit/async/begun-ahead.js';
import { ShellSyntaxError } from '../grammar/syntax-tree.js';
import type { ByteSource } from '../../streams/pipe.js';
import { descriptorOf, isSource } from '../redirect.js';
import { splitFields } from '../split-fields.js';
import { declaredWord, assignDeclared, refuse, type BuiltinCall } from './builtin.js';

interface ReadOptions {
  raw: boolean;
  array: boolean;
  delimiter: string;
  /** The number of characters after which reading ends. With `exact`, reading does not end at the delimiter. */
  chars: number | undefined;
  exact: boolean;
  timeoutMs: number | undefined;
  descriptor: number;
  names: string[];
}

/** `read [-rA] [-d DELIMITER] [-n CHARS] [-N CHARS] [-t SECONDS] [-u DESCRIPTOR] [NAME...]` */
export async function read(call: BuiltinCall): Promise<number> {
  const options = optionsOf(call.args);
  if (typeof options === 'string') return refuse(call, options, 2);
  const invalid = options.names.find((name) => !declaredWord(name) || name.includes('='));
  if (invalid !== undefined) return refuse(call, `${invalid}: not an identifier`, 2);
  const source = descriptorOf(call.streams, options.descriptor);
  if (!isSource(source)) return refuse(call, `-u${options.descriptor}: bad file descriptor`, 2);
  const record = await readRecord(source, options, call);
  if (record === undefined) return 1;
  const { state } = call.shell;
  const put = (name: string, value: string): void => {
    const word = declaredWord(name);
    if (word) assignDeclared(call.shell, { ...word, value });
  };
  const ended = record.isEnded ? 0 : 1;
  if (options.array) {
    const [name = 'REPLY'] = options.names;
    state.variables.setArray(name, splitFields(plain(record.text, options.raw), state.separators).pieces, { append: false }); // prettier-ignore
    return ended;
  }
  if (options.names.length === 0) put('REPLY', plain(record.text, options.raw));
  else fieldsOf(record.text, options, state.separators).forEach((value, at) => put(options.names[at] ?? '', value));
  return ended;
}

/** Returns the options, or the text of their error. */
function optionsOf(args: readonly string[]): ReadOptions | string {
  const words = [...args];
  const options: ReadOptions = { raw: false, array: false, delimiter: '\n', chars: undefined, exact: false, timeoutMs: undefined, descriptor: 0, names: [] }; // prettier-ignore
  while (words[0] !== undefined && /^-./.test(words[0])) {
    const word = words.shift() ?? '';
    if (word === '--') break;
    for (let at = 1; at < word.length; at++) {
      const letter = word[at] ?? '';
      if (letter === 'r') options.raw = true;
      else if (letter === 'A') options.array = true;
      else if (letter === 's') continue;
      else if (letter === 'p' || letter === 'a') throw new ShellSyntaxError(`read: -${letter}: unsupported option`);
      else if ('dnNtu'.includes(letter)) {
        const value = word.slice(at + 1) || words.shift();
        if (value === undefined && letter !== 'd') return `-${letter}: missing argument`;
        if (letter === 'd') options.delimiter = (value ?? '').slice(0, 1) || '\0';
        else if (!/^\d+(\.\d*)?$/.test(value ?? '')) return `${value ?? ''}: bad number`;
        else if (letter === 't') options.timeoutMs = Number(value) * 1000;
        else if (letter === 'u') options.descriptor = Number(value);
        else Object.assign(options, { chars: Number(value), exact: letter === 'N' });
        break;
      } else return `-${letter}: unknown option`;
    }
  }
  options.names = words;
  return options;
}

interface ReadRecord {
  /** The text that was read, with its backslashes. */
  text: string;
  /** Whether the delimiter or the last allowed character was read. */
  isEnded: boolean;
}

/** Reads up to the delimiter and puts back the bytes after it. Returns undefined when nothing is left or the time is over. */
async function readRecord(
  source: ByteSource,
  options: ReadOptions,
  call: BuiltinCall,
): Promise<ReadRecord | undefined> {
  const delimiter = options.exact ? undefined : Buffer.from(options.delimiter)[0];
  let bytes = Buffer.alloc(0);
  for (;;) {
    const piece = await nextPiece(source, options, call);
    if (piece === undefined) return bytes.length === 0 ? undefined : { text: bytes.toString('utf8'), isEnded: false };
    const from = bytes.length;
    bytes = Buffer.concat([bytes, piece]);
    const cut = (end: number, rest: number): ReadRecord => {
      if (rest < bytes.length) source.unread?.(bytes.subarray(rest));
      return { text: bytes.subarray(0, end).toString('utf8'), isEnded: true };
    };
    if (options.chars !== undefined) {
      const chars = Array.from(bytes.toString('utf8'));
      const end = delimiter === undefined ? -1 : bytes.indexOf(delimiter);
      const length = Buffer.byteLength(chars.slice(0, options.chars).join(''));
      if (end >= 0 && end <= length) return cut(end, end + 1);
      if (chars.length >= options.chars) return cut(length, length);
    } else if (delimiter !== undefined) {
      for (let end = bytes.indexOf(delimiter, from); end >= 0; end = bytes.indexOf(delimiter, end + 1)) {
        if (options.raw || !isEscaped(bytes, end)) return cut(end, end + 1);
      }
    }
    if (bytes.length > MAX_RECORD_BYTES) return cut(bytes.length, bytes.length);
  }
}

const MAX_RECORD_BYTES = 1024 * 1024;

function isEscaped(bytes: Buffer, at: number): boolean {
  let count = 0;
  while (bytes[at - count - 1] === 0x5c) count++;
  return count % 2 === 1;
}

/** Returns the next bytes; undefined at the end, and when the time is over. Bytes that come later go to the next reader. */
async function nextPiece(source: ByteSource, options: ReadOptions, call: BuiltinCall): Promise<Buffer | undefined> {
  if (options.timeoutMs === undefined) return source.read();
  const stop = new AbortController();
  let isLate = false;
  const piece = begunAhead(
    source.read().then((bytes) => {
      if (!isLate || !bytes) return bytes;
      source.unread?.(bytes);
      return undefined;
    }),
  );
  const late = call.shell.machine.clock.sleep(options.timeoutMs, stop.signal).then(
    () => undefined,
    () => undefined,
  );
  try {
    return await Promise.race([piece, late]);
  } finally {
    isLate = true;
    stop.abort();
  }
}

/** Returns one value for each name; the last one is the rest of the line. */
function fieldsOf(text: string, { raw, names }: ReadOptions, separators: string): string[] {
  const isBlank = (char: string): boolean => char !== '' && ' \t\n'.includes(char) && separators.includes(char);
  const values: string[] = [];
  let at = 0;
  const skipBlanks = (): void => {
    while (isBlank(text[at] ?? '')) at++;
  };
  skipBlanks();
  while (values.length < names.length - 1) {
    const start = at;
    for (; at < text.length && !separators.includes(text[at] ?? ''); at++) if (!raw && text[at] === '\\') at++;
    values.push(plain(text.slice(start, at), raw));
    skipBlanks();
    if (at < text.length && separators.includes(text[at] ?? '') && at > start) at++;
    skipBlanks();
  }
  let end = text.length;
  while (end > at && isBlank(text[end - 1] ?? '') && (raw || text[end - 2] !== '\\')) end--;
  values.push(plain(text.slice(at, end), raw));
  return values;
}

/** Returns the text without its backslashes. Without `-r`, a backslash keeps the next character as it is, and removes a line feed. */
function plain(text: string, raw: boolean): string {
  return raw
    ? text
    : text.replace(/\\([\s\S])?/g, (_, char: string | undefined) => (char === '\n' ? '' : (char ?? '')));
}
