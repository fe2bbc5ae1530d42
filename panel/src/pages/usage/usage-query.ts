import { api, type Schemas, take } from '../../api/client.ts';
import type { Period } from './period.ts';

/** Most entries of one response. */
const PAGE = 10_000;

/** The usage of one phone, of one day, or of one phone on one day. Its cost is a whole number of micro-dollars, which can be added. */
export interface Usage {
  day: string;
  device: string;
  plan: Schemas['UsageDay']['plan'];
  minutes: number;
  costMicros: number;
}

/** Fetches minutes and cost of each phone on each day of a period. */
export async function usageOf(period: Period): Promise<Usage[]> {
  const days: Schemas['UsageDay'][] = [];
  let cursor: string | undefined;
  do {
    const query = { ...period, limit: PAGE, ...(cursor !== undefined && { cursor }) };
    const page = await take(api.GET('/v1/usage/days', { params: { query } }));
    days.push(...page.days);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return days.map(({ cost, ...rest }) => ({ ...rest, costMicros: Math.round(Number(cost) * 1e6) }));
}

/** Adds up the rows of the same key, in the order in which the keys first come. */
export function summed(rows: readonly Usage[], keyOf: (row: Usage) => string): Usage[] {
  const sums = new Map<string, Usage>();
  for (const row of rows) {
    const sum = sums.get(keyOf(row)) ?? { ...row, minutes: 0, costMicros: 0 };
    const { minutes, costMicros } = sum;
    sums.set(keyOf(row), { ...sum, minutes: minutes + row.minutes, costMicros: costMicros + row.costMicros });
  }
  return [...sums.values()];
}

/** Returns an amount as the API writes it. */
export function amountOf(costMicros: number): string {
  return (costMicros / 1e6).toFixed(6).replace(/0{1,4}$/, '');
}
