/** Micro-dollars in a dollar. Money is an integer of micro-dollars inside and a decimal string outside, never a float. */
const MICROS = 1_000_000;

/** Micro-dollars in a cent. */
export const CENT_MICROS = MICROS / 100;

/** Returns the decimal string: `9.996`, `12.00`, `-0.50`. It has two decimals, or more where the amount needs them. */
export function formatMoney(micros: number): string {
  if (!Number.isSafeInteger(micros)) throw new Error(`${micros} is not a whole number of micro-dollars`);
  const size = Math.abs(micros);
  const decimals = String(size % MICROS)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${micros < 0 ? '-' : ''}${Math.floor(size / MICROS)}.${decimals}`;
}

/** The micro-dollars of a decimal string such as `5`, `5.00` or `0.004`; undefined when it is not one, or is too large to be exact. */
export function parseMoney(text: string): number | undefined {
  const match = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text);
  if (match === null) return undefined;
  return Number(match[1]) * MICROS + Number((match[2] ?? '').padEnd(6, '0'));
}
