import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, type Schemas, take } from '../api/client.ts';

export type Plan = 'minute' | 'month';
type Prices = Schemas['Prices'];

/** The prices of this installation. They change only when the service restarts. */
const pricesQuery = queryOptions({
  queryKey: ['prices'],
  queryFn: () => take(api.GET('/v1/prices')),
  staleTime: 300_000,
});

/** Returns the prices; undefined until they are known. */
export function usePrices(): Prices | undefined {
  return useQuery(pricesQuery).data?.prices;
}

/** Returns whether anything is charged here; undefined until it is known. Where it is not, the panel shows no money at all. */
export function useBilling(): boolean | undefined {
  return usePrices()?.billing;
}

const PER: Record<Plan, string> = { minute: 'minute of running', month: 'month' };

/** Returns the price of a plan in words; undefined where nothing is charged. */
export function priceText(prices: Prices | undefined, plan: Plan): string | undefined {
  if (prices === undefined) return '…';
  return prices.billing ? `${prices[plan]} USD per ${PER[plan]}` : undefined;
}

/** Returns in words when a plan is charged. */
export function chargeText(plan: Plan): string {
  return plan === 'minute'
    ? 'Billed by begun minute. A stopped phone costs nothing.'
    : 'Runs as long as you like; billed when it is created and every month after.';
}
