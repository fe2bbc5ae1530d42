/**
 * Returns an amount of the API for people, with two decimals. An amount that would read as nothing keeps its own decimals, as the price of
 * a minute is less than a cent.
 */
export function money(amount: string): string {
  const rounded = Number(amount).toFixed(2);
  return Number(rounded) === 0 && Number(amount) !== 0 ? amount : rounded.replace(/^-(?=0\.00$)/, '');
}

/** Returns the same with its currency. */
export function dollars(amount: string): string {
  return `${money(amount)} USD`;
}

/** Micro-dollars in a dollar: money is counted in whole numbers. */
const MICROS = 1_000_000;

/** Returns an amount such as `0.004` times a whole number, with two decimals or more. */
export function times(amount: string, factor: number): string {
  const micros = Math.round(Number(amount) * MICROS) * factor;
  const decimals = String(micros % MICROS).padStart(6, '0');
  return `${Math.floor(micros / MICROS)}.${decimals.replace(/0{1,4}$/, '')}`;
}
