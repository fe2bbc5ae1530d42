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
