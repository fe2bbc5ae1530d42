import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, type Schemas, take } from '../api/client.ts';

export type Plan = 'minute' | 'month';
type Prices = Schemas['Prices'];

/** The prices of this installation, and whether anyone may sign up; they change only when the service restarts. */
const pricesQuery = queryOptions({
  queryKey: ['prices'],
  queryFn: () => take(api.GET('/v1/prices')),
  staleTime: 300_000,
});

/** Returns the prices; undefined until they are known. */
export function usePrices(): Prices | undefined {
  return useQuery(pricesQuery).data?.prices;
}

/** Returns whether anyone may make an account; undefined until it is known. */
export function useSignUp(): boolean | undefined {
  return useQuery(pricesQuery).data?.sign_up;
}

const PER: Record<Plan, string> = { minute: 'minute of running', month: 'month' };

/** What a plan costs, in words; nothing until it is known. */
export function priceText(prices: Prices | undefined, plan: Plan): string {
  if (prices === undefined) return '…';
  return prices.billing ? `${prices[plan]} USD per ${PER[plan]}` : 'Nothing';
}

/** When a plan is charged. */
export function chargeText(prices: Prices | undefined, plan: Plan): string {
  if (prices?.billing === false) return 'Nothing is charged here.';
  return plan === 'minute'
    ? 'Billed by begun minute. A stopped phone costs nothing.'
    : 'Runs as long as you like; billed when it is created and every month after.';
}
