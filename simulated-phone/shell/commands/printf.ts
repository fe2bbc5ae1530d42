import { CommandFailure, type Command } from '../command.js';
import { formatNumber } from '../format-number.js';
import { quotedForShell } from '../quoted-for-shell.js';
import { unescaped } from '../unescape.js';

/** `printf FORMAT [VALUE...]`. The format is used again until all values are used. */
export const printf: Command = async ({ args, stdout, stderr }) => {
  const [format, ...values] = args;
  if (format === undefined) throw new CommandFailure('Needs 1 argument (see "printf --help")');
  const pieces = piecesOf(format);
  let status = 0;
  let at = 0;
  const next = (): string | undefined => values[at++];
  const bad = async (value: string): Promise<void> => {
    status = 1;
    await stderr.write(`printf: ${value}: expected a numeric value\n`);
  };
  let before: number;
  do {
    before = at;
    for (const piece of pieces) {
      if (typeof piece === 'string') await stdout.write(unescaped(piece).bytes);
      else await stdout.write(await formatted(piece, next, bad));
    }
  } while (at > before && at < values.length);
  return status;
};

interface Conversion {
  flags: string;
  /** The width; `*` stands for the next value. */
  width: string;
  precision: string | undefined;
  type: string;
}

/** Cuts a format into its parts. Throws CommandFailure for an unknown conversion. */
function piecesOf(format: string): (string | Conversion)[] {
  const pieces: (string | Conversion)[] = [];
  for (const [piece] of format.matchAll(/[^%]+|%%|%[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?.?/gs)) {
    if (!piece.startsWith('%')) pieces.push(piece);
    else if (piece === '%%') pieces.push('%');
    else {
      const match = /^%([-+ #0]*)(\d+|\*)?(?:\.(\d+|\*)?)?([sdiuxXofFeEgGcqb])$/.exec(piece);
      if (!match) throw new CommandFailure(`bad ${piece}@${format.indexOf(piece)}`);
      const [, flags = '', width = '', digits, type = 's'] = match;
      pieces.push({ flags, width, precision: piece.includes('.') ? (digits ?? '0') : undefined, type });
    }
  }
  return pieces;
}

async function formatted(
  conversion: Conversion,
  next: () => string | undefined,
  bad: (value: string) => Promise<void>,
): Promise<Buffer> {
  const { flags, type } = conversion;
  const sizeOf = (word: string): number => Number(word === '*' ? (next() ?? 0) : word) || 0;
  const width = sizeOf(conversion.width);
  const precision = conversion.precision === undefined ? undefined : Math.max(0, sizeOf(conversion.precision));
  const value = next();
  let bytes: Buffer;
  if ('sqbc'.includes(type)) {
    const text = value ?? '';
    if (type === 'b') bytes = unescaped(text).bytes;
    else bytes = Buffer.from(type === 'q' ? quotedForShell(text) : type === 'c' ? (Array.from(text)[0] ?? '') : text);
    if (precision !== undefined) bytes = bytes.subarray(0, precision);
  } else {
    const number = numberOf(value ?? '');
    if (number === undefined) await bad(value ?? '');
    bytes = Buffer.from(formatNumber(number ?? 0, { ...conversion, digits: precision }));
  }
  const missing = Math.max(0, Math.min(Math.abs(width), MAX_WIDTH) - bytes.length);
  if (flags.includes('-') || width < 0) return Buffer.concat([bytes, Buffer.alloc(missing, ' ')]);
  const isZeros =
    flags.includes('0') && !'sqbc'.includes(type) && (precision === undefined || !'diuxXo'.includes(type));
  if (!isZeros) return Buffer.concat([Buffer.alloc(missing, ' '), bytes]);
  const head = /^(?:[-+ ])?(?:0[xX])?/.exec(bytes.toString())?.[0].length ?? 0;
  return Buffer.concat([bytes.subarray(0, head), Buffer.alloc(missing, '0'), bytes.subarray(head)]);
}

const MAX_WIDTH = 4_096;

/** Parses `12`, `0x1f`, `017`, `'a` (the number of a character). Undefined for another word. */
function numberOf(word: string): number | undefined {
  if (word === '') return 0;
  if (/^['"]/.test(word)) return word.codePointAt(1) ?? 0;
  const octal = /^([-+]?)0([0-7]+)$/.exec(word);
  if (octal) return parseInt(`${octal[1] ?? ''}${octal[2] ?? ''}`, 8);
  const hex = /^([-+]?)0x([\da-f]+)$/i.exec(word);
  if (hex) return parseInt(`${hex[1] ?? ''}${hex[2] ?? ''}`, 16);
  const number = Number(word);
  return Number.isNaN(number) || !/^[-+.\d]/.test(word) ? undefined : number;
}
