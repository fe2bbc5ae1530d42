import { formatNumber } from '../../format-number.js';
import { AwkError } from './awk-error.js';
import { MAX_TEXT_CHARS, boundedText } from './cells.js';
import { toNumber, toText, type Scalar } from './values.js';

/** Returns the text of a format and its values, as `sprintf` does. `%s` writes a number that is not whole by `convfmt`. */
export function formatText(format: string, values: readonly Scalar[], convfmt: string): string {
  let next = 0;
  let chars = 0;
  const value = (): Scalar => {
    if (next >= values.length) throw new AwkError(`not enough args in printf(${format.slice(0, 100)})`);
    return values[next++];
  };
  const parts: string[] = [];
  for (const [piece] of format.matchAll(/[^%]+|%%|%[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?[hlqLjzt]*[^]?/g)) {
    const part = piece.startsWith('%') ? converted(piece, value, convfmt) : piece;
    chars += part.length;
    if (chars > MAX_TEXT_CHARS) throw new RangeError('a text too long');
    parts.push(part);
  }
  return parts.join('');
}

function converted(piece: string, value: () => Scalar, convfmt: string): string {
  if (piece === '%%') return '%';
  const match = /^%([-+ #0]*)(\d+|\*)?(?:\.(\d+|\*)?)?[hlqLjzt]*([aAdiouxXfFeEgGcs])$/.exec(piece);
  if (!match || /[aA]$/.test(piece)) throw new AwkError(`weird printf conversion ${piece}`);
  const [, flags = '', widthWord, digitsWord, type = 's'] = match;
  const size = (word: string): number => Math.trunc(word === '*' ? toNumber(value()) : Number(word));
  const width = size(widthWord ?? '0');
  const digits = piece.includes('.') ? size(digitsWord ?? '0') : undefined;
  const precision = digits === undefined || digits < 0 ? undefined : digits;
  const isLeft = flags.includes('-') || width < 0;
  const text = type === 's' || type === 'c' ? textOf(value(), type, precision, convfmt) : numberOf(value(), type, flags, precision); // prettier-ignore
  const missing = Math.abs(width) - Array.from(text.slice(0, Math.abs(width) * 2)).length;
  if (missing <= 0) return text;
  if (missing > MAX_TEXT_CHARS) throw new RangeError('a text too long');
  if (isLeft) return text + ' '.repeat(missing);
  const isWhole = 'diouxX'.includes(type);
  const isZeros = flags.includes('0') && !'sc'.includes(type) && !(isWhole && precision !== undefined) && /\d/.test(text); // prettier-ignore
  if (!isZeros) return boundedText(' '.repeat(missing) + text);
  const head = /^[-+ ]?(?:0[xX])?/.exec(text)?.[0] ?? '';
  return head + '0'.repeat(missing) + text.slice(head.length);
}

function textOf(value: Scalar, type: string, precision: number | undefined, convfmt: string): string {
  if (type === 's') {
    const text = toText(value, convfmt);
    return precision === undefined ? text : Array.from(text.slice(0, precision * 2)).slice(0, precision).join(''); // prettier-ignore
  }
  if (typeof value === 'string') return Array.from(value.slice(0, 2))[0] ?? '';
  const code = Math.trunc(toNumber(value));
  return code >= 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}

function numberOf(value: Scalar, type: string, flags: string, precision: number | undefined): string {
  if (precision !== undefined && precision > MAX_DIGITS) throw new AwkError(`a precision of more than ${MAX_DIGITS}`);
  return formatNumber(toNumber(value), { flags, type, digits: precision });
}

/** The largest precision of a number: JavaScript writes at most 100 digits after the point. */
const MAX_DIGITS = 100;
