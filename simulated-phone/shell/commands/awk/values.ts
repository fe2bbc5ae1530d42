import { formatNumber } from '../../format-number.js';

/** Text from outside that looks like a number, so that it compares as one. */
export class NumericText {
  readonly text: string;
  readonly number: number;

  constructor(text: string, number: number) {
    this.text = text;
    this.number = number;
  }
}

/** A value of the language. Undefined is the value of a variable that has not been set; it counts as both 0 and an empty text. */
export type Scalar = number | string | NumericText | undefined;

/** The number that a text begins with. */
const NUMBER = /[ \t\n\r\f\v]*([-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?))/y;
const SPECIAL = /[ \t\n\r\f\v]*([-+])(inf(?:inity)?|nan)/iy;

export function toNumber(value: Scalar): number {
  if (typeof value === 'number') return value;
  if (value === undefined) return 0;
  if (typeof value !== 'string') return value.number;
  return leadingNumber(value)?.number ?? 0;
}

/** Returns a value as text. `format`: CONVFMT or OFMT, for numbers that are not whole. */
export function toText(value: Scalar, format: string): string {
  if (typeof value === 'string') return value;
  if (value === undefined) return '';
  if (typeof value !== 'number') return value.text;
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '+nan' : value > 0 ? '+inf' : '-inf';
  if (Number.isInteger(value))
    return Math.abs(value) < 1e16 ? String(value) : formatNumber(value, { flags: '', type: 'g', digits: 30 });
  return fractionText(value, format);
}

export function isTrue(value: Scalar): boolean {
  if (typeof value === 'number') return value !== 0;
  if (typeof value === 'string') return value !== '';
  return value !== undefined && value.number !== 0;
}

/**
 * Compares two values, as numbers where both are numbers, otherwise as texts. Returns a number below, equal to or above 0; NaN where they
 * have no order.
 */
export function compare(left: Scalar, right: Scalar, format: string): number {
  if (typeof left !== 'string' && typeof right !== 'string') {
    const [a, b] = [toNumber(left), toNumber(right)];
    return a < b ? -1 : a > b ? 1 : a === b ? 0 : NaN;
  }
  const [a, b] = [toText(left, format), toText(right, format)];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the value of a text from outside: a field, a line, an argument. */
export function inputValue(text: string): Scalar {
  const found = leadingNumber(text);
  return found && /^[ \t\n\r\f\v]*$/.test(text.slice(found.end)) ? new NumericText(text, found.number) : text;
}

function leadingNumber(text: string): { number: number; end: number } | undefined {
  NUMBER.lastIndex = 0;
  const found = NUMBER.exec(text);
  if (found) return { number: Number(found[1]), end: NUMBER.lastIndex };
  SPECIAL.lastIndex = 0;
  const [, sign, name] = SPECIAL.exec(text) ?? [];
  if (name === undefined) return undefined;
  const size = /^nan/i.test(name) ? NaN : Infinity;
  return { number: sign === '-' ? -size : size, end: SPECIAL.lastIndex };
}

function fractionText(value: number, format: string): string {
  const match = /^%([-+ #0]*)(?:\.(\d+))?([efgEFG])$/.exec(format);
  if (!match) return formatNumber(value, { flags: '', type: 'g', digits: 6 });
  const [, flags = '', digits, type = 'g'] = match;
  return formatNumber(value, { flags, type, digits: digits === undefined ? undefined : Number(digits) });
}
