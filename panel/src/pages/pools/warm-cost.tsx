import { type Plan, usePrices } from '../../parts/prices.ts';
import { times } from '../../parts/money.ts';
import forms from '../../parts/forms.module.css';

const MINUTES = 60;

/** Says what the ready phones of a pool cost while nobody uses them. Renders nothing where nothing is charged. */
export function WarmCost({ ready, plan }: { ready: number; plan: Plan }) {
  const prices = usePrices();
  if (prices === undefined || !prices.billing) return null;
  const phones = ready === 1 ? '1 ready phone costs' : `${ready} ready phones cost`;
  const cost =
    plan === 'month'
      ? `${times(prices.month, ready)} USD a month`
      : `${times(prices.minute, ready * MINUTES)} USD an hour`;
  return (
    <p className={forms.quiet} role="status">
      {phones} {cost}, also while nobody uses them. Leased phones are charged as all others.
    </p>
  );
}
