import type { ReactNode } from 'react';
import { Card } from '../../parts/card.tsx';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { dollars } from '../../parts/money.ts';
import { useAccount } from '../../session/account.ts';
import { chargeText, type Plan, usePrices } from '../../parts/prices.ts';
import classes from './phones.module.css';

/** The price of a phone, and the balance and trial to pay it with. */
export function Cost({ plan, facts, children }: { plan: Plan; facts: readonly Fact[]; children: ReactNode }) {
  const { balance, trial } = useAccount();
  const prices = usePrices();
  const per = plan === 'minute' ? 'minute of running' : 'month';
  const hasTrial = prices?.billing !== false && plan === 'minute' && trial.minutes_left > 0;
  return (
    <Card title="What it costs">
      <p className={classes.price}>
        {prices?.[plan] ?? '…'} USD <small>per {per}</small>
      </p>
      <p className={classes.facts}>
        {hasTrial ? 'Your trial covers it until its minutes are used.' : chargeText(prices, plan)}
      </p>
      <Facts
        variant="bill"
        facts={[
          ...facts,
          ['Balance', dollars(balance)],
          ['Trial', hasTrial ? `${trial.minutes_left} min left` : undefined],
        ]}
      />
      {children}
    </Card>
  );
}
