import { CommandFailure, type Command } from '../command.js';
import { parseOptions } from '../options.js';
import type { ByteSource } from '../../streams/pipe.js';
import { eachInput } from './cat.js';

/** How one kind of column shows its items. */
interface Column {
  bytes: number;
  width: number;
  show: (row: Buffer, at: number) => string;
}

/** `od [-bcdosxv] [-A RADIX] [-j SKIP] [-N COUNT] [-t TYPE] [-w WIDTH] [FILE...]` */
export const od: Command = async (call) => {
  const options = parseOptions(call.args, {
    flags: ['b', 'c', 'd', 'o', 's', 'x', 'v'],
    values: ['A', 'j', 'N', 't', 'w'],
  });
  const types = [...options.values('t'), ...Object.entries(SHORT).flatMap(([flag, type]) => (options.has(flag) ? [type] : []))]; // prettier-ignore
  const columns = (types.length > 0 ? types : ['o2']).flatMap(columnsOf);
  const radix = RADIX[options.value('A') ?? 'o'];
  if (!radix) throw new CommandFailure(`bad -A ${options.value('A') ?? ''}`);
  const size = numberOption(options.value('w') ?? '16', 'w');
  if (size < 1 || size > MAX_ROW_BYTES) throw new CommandFailure(`bad -w ${size}`);
  let skip = numberOption(options.value('j') ?? '0', 'j');
  let left = options.value('N') === undefined ? Infinity : numberOption(options.value('N') ?? '', 'N');
  let offset = skip;
  let row = Buffer.alloc(0);
  let before: Buffer | undefined;
  let isRepeated = false;
  const print = async (bytes: Buffer): Promise<void> => {
    const isSame = !options.has('v') && bytes.length === size && before?.equals(bytes) === true;
    if (!isSame) {
      const lines = columns.map((column, index) => (index === 0 ? radix(offset) : ' '.repeat(radix(offset).length)) + rowText(bytes, column)); // prettier-ignore
      await call.stdout.write(`${lines.join('\n')}\n`);
    } else if (!isRepeated) await call.stdout.write('*\n');
    isRepeated = isSame;
    before = Buffer.from(bytes);
    offset += bytes.length;
  };
  const take = async (source: ByteSource): Promise<void> => {
    for (let bytes = await source.read(); bytes && left > 0; bytes = await source.read()) {
      const rest = bytes.subarray(Math.min(skip, bytes.length)).subarray(0, left);
      skip -= Math.min(skip, bytes.length);
      left -= rest.length;
      row = Buffer.concat([row, rest]);
      let at = 0;
      for (; row.length - at >= size; at += size) await print(row.subarray(at, at + size));
      row = row.subarray(at);
      if (left <= 0) break;
    }
  };
  const status = await eachInput(call, options.rest, take);
  if (row.length > 0) await print(row);
  const end = radix(offset);
  if (end !== '') await call.stdout.write(`${end}\n`);
  return status;
};

const MAX_ROW_BYTES = 4_096;
const SHORT: Readonly<Record<string, string>> = { b: 'o1', c: 'c', d: 'u2', o: 'o2', s: 'd2', x: 'x2' };
const RADIX: Readonly<Record<string, (offset: number) => string>> = {
  o: (offset) => offset.toString(8).padStart(7, '0'),
  d: (offset) => String(offset).padStart(7, '0'),
  x: (offset) => offset.toString(16).padStart(6, '0'),
  n: () => '',
};
/** The width of a column in characters, by the kind and the bytes of its items. */
const WIDTHS: Readonly<Record<string, Readonly<Record<number, number>>>> = {
  o: { 1: 4, 2: 7, 4: 12, 8: 23 },
  x: { 1: 3, 2: 5, 4: 9, 8: 17 },
  u: { 1: 4, 2: 6, 4: 11, 8: 21 },
  d: { 1: 5, 2: 7, 4: 12, 8: 21 },
};
const CONTROLS: Readonly<Record<number, string>> = {
  0: '\\0',
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
};
const NAMES = 'nul soh stx etx eot enq ack bel bs ht nl vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us sp'.split(' '); // prettier-ignore

/** Parses a word of one or more types, such as `x1`, `d4` and `c`. */
function columnsOf(types: string): Column[] {
  const matches = [...types.matchAll(/([acdoux])([1248CSIL]?)/g)];
  if (matches.length === 0 || matches.map(([all]) => all).join('') !== types)
    throw new CommandFailure(`bad -t ${types}`);
  return matches.map(([, kind = '', size = '']) => {
    if (kind === 'c' || kind === 'a') return { bytes: 1, width: 4, show: kind === 'c' ? shownChar : shownName };
    const bytes = { C: 1, S: 2, I: 4, L: 8 }[size] ?? Number(size || 4);
    const radix = kind === 'o' ? 8 : kind === 'x' ? 16 : 10;
    const digits = (WIDTHS[kind]?.[bytes] ?? 2) - 1;
    const show = (row: Buffer, at: number): string => {
      const item = Buffer.alloc(8);
      row.copy(item, 0, at, Math.min(at + bytes, row.length));
      const unsigned = item.readBigUInt64LE();
      if (kind === 'd') return String(BigInt.asIntN(bytes * 8, unsigned));
      return kind === 'u' ? String(unsigned) : unsigned.toString(radix).padStart(digits, '0');
    };
    return { bytes, width: WIDTHS[kind]?.[bytes] ?? 4, show };
  });
}

function rowText(row: Buffer, { bytes, width, show }: Column): string {
  let text = '';
  for (let at = 0; at < row.length; at += bytes) text += show(row, at).padStart(width);
  return text;
}

function shownChar(row: Buffer, at: number): string {
  const byte = row[at] ?? 0;
  return CONTROLS[byte] ?? (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : byte.toString(8).padStart(3, '0'));
}

function shownName(row: Buffer, at: number): string {
  const byte = (row[at] ?? 0) & 0x7f;
  return byte === 127 ? 'del' : (NAMES[byte] ?? String.fromCharCode(byte));
}

function numberOption(word: string, letter: string): number {
  if (!/^(?:0x[\da-f]+|\d+)$/i.test(word)) throw new CommandFailure(`bad -${letter} ${word}`);
  return Number(word);
}
