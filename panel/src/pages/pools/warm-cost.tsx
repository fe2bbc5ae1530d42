import { type Plan, usePrices } from '../../parts/prices.ts';
import { times } from '../../parts/money.ts';
import forms from '../../parts/forms.module.css';

const MINUTES = 60;

interface Props {
  ready: number;
  plan: Plan;
  /** What the phones are made from: `model:phone-720p` or `template:golden`. */
  source: string;
}

/** Says what the ready phones of a pool cost while nobody uses them. Renders nothing where nothing is charged. */
export function WarmCost({ ready, plan, source }: Props) {
  const prices = usePrices();
  if (prices === undefined || !prices.billing) return null;
  const phones = ready === 1 ? '1 ready phone costs' : `${ready} ready phones cost`;
  const cost =
    plan === 'month'
      ? `${times(prices.month, ready)} USD a month`
      : `${times(prices.minute, ready * MINUTES)} USD an hour`;
  return (
    <div className={forms.quiet} role="status">
      <p>
        {phones} {cost}, also while nobody uses them.
        {plan === 'minute' && ' Leased phones are charged as all others.'}
      </p>
      {plan === 'month' && (
        <p>
          Each phone that the pool makes is charged a whole month, {times(prices.month, 1)} USD. So is each one that
          replaces a phone which was deleted at the end of its lease. {keeping(source)}
        </p>
      )}
    </div>
  );
}

/** Returns in words which phones outlive their lease. One that is made from a model has no state to go back to. */
function keeping(source: string): string {
  return source.startsWith('template:')
    ? 'A lease with at_end: restore keeps its phone.'
    : 'Phones made from a model are deleted after each lease; at_end: restore keeps only those of a template.';
}
