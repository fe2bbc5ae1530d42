import type { CloudPhone } from '../../../client/src/cloud-phone.js';

/** Micro-dollars in a dollar: money is counted in whole numbers. */
const MICROS = 1_000_000;

const MINUTES = 60;

/** Returns the text about what `ready` phones cost while nobody uses them. Undefined: nothing is charged. */
export async function warmPriceText(
  phone: CloudPhone,
  { ready, plan }: { ready: number; plan: 'minute' | 'month' },
  signal: AbortSignal,
): Promise<string | undefined> {
  const { prices } = await phone.get('/v1/prices', { signal });
  if (!prices.billing) return undefined;
  const phones = ready === 1 ? '1 ready phone' : `${ready} ready phones`;
  if (plan === 'month') return `${phones}: ${multiplied(prices.month, ready)} USD a month.`;
  return `${phones}: ${multiplied(prices.minute, ready * MINUTES)} USD an hour.`;
}

/** Returns an amount such as `0.004` times a whole number, with two decimals or more. */
export function multiplied(amount: string, times: number): string {
  const micros = Math.round(Number(amount) * MICROS) * times;
  const decimals = String(micros % MICROS).padStart(6, '0');
  return `${Math.floor(micros / MICROS)}.${decimals.replace(/0{1,4}$/, '')}`;
}
