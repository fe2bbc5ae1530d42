/** A conversion of printf for a number, without its width. */
export interface NumberFormat {
  /** The flags, from `-+ #0`. */
  flags: string;
  /** One of `diuxXofFeEgG`. */
  type: string;
  /** The precision. Undefined: the usual one. */
  digits: number | undefined;
}

/** Returns a number as C's printf shows it. */
export function formatNumber(value: number, { flags, type, digits }: NumberFormat): string {
  const isWhole = 'diuxXo'.includes(type);
  const sign = value < 0 || Object.is(value, -0) ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  if (!isWhole) {
    const text = floatText(Math.abs(value), type.toLowerCase(), Math.min(digits ?? 6, MAX_DIGITS), flags.includes('#'));
    return sign + ('EGF'.includes(type) ? text.toUpperCase() : text);
  }
  const whole = BigInt(Number.isFinite(value) ? Math.trunc(value) : 0);
  const isSigned = type === 'd' || type === 'i';
  const size = isSigned ? (whole < 0n ? -whole : whole) : BigInt.asUintN(64, whole);
  const base = type === 'o' ? 8 : type === 'x' || type === 'X' ? 16 : 10;
  let text = size.toString(base).padStart(Math.min(digits ?? 0, MAX_WIDTH), '0');
  if (flags.includes('#') && size !== 0n) text = (base === 16 ? '0x' : base === 8 ? '0' : '') + text;
  if (type === 'X') text = text.toUpperCase();
  return isSigned ? (whole === 0n && sign === '-' ? '' : sign) + text : text;
}

const MAX_WIDTH = 4_096;
const MAX_DIGITS = 100;

function floatText(value: number, type: string, digits: number, keepsZeros: boolean): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : 'inf';
  if (type === 'f') return fixedText(value, digits);
  if (type === 'e') return exponentText(value, digits);
  const significant = Math.max(1, digits);
  const [, exponent = '0'] = exponentText(value, significant - 1).split('e');
  const isShort = Number(exponent) >= -4 && Number(exponent) < significant;
  const text = isShort ? fixedText(value, significant - 1 - Number(exponent)) : exponentText(value, significant - 1);
  const [mantissa = '', power] = text.split('e');
  const short = keepsZeros || !mantissa.includes('.') ? mantissa : mantissa.replace(/\.?0+$/, '');
  return power === undefined ? short : `${short}e${power}`;
}

/** Returns a number without an exponent: `toFixed` writes numbers from 1e21 on with one. */
function fixedText(value: number, digits: number): string {
  if (value >= 1e21) return BigInt(value).toString() + (digits > 0 ? `.${'0'.repeat(digits)}` : '');
  return evenText(digits, (count) => value.toFixed(count));
}

function exponentText(value: number, digits: number): string {
  return evenText(digits, (count) => value.toExponential(count)).replace(/e([-+])(\d)$/, 'e$10$2');
}

/** The number of further digits that are compared. A number that is not exactly halfway between two others differs in one of them. */
const MORE_DIGITS = 40;

/** Rounds a number in the middle of two others to the even one, as C does: 2.25 becomes 2.2, where JavaScript makes it 2.3. */
function evenText(digits: number, show: (digits: number) => string): string {
  const [mantissa = '', power] = show(Math.min(digits + MORE_DIGITS, MAX_DIGITS)).split('e');
  const point = mantissa.indexOf('.');
  const end = digits === 0 ? point : point + 1 + digits;
  const isMiddle = point >= 0 && /^\.?50*$/.test(mantissa.slice(end));
  const before = mantissa.slice(0, end);
  if (!isMiddle || !/[02468]$/.test(before)) return show(digits);
  return power === undefined ? before : `${before}e${power}`;
}
