import type { ReactNode } from 'react';
import { Card } from '../../parts/card.tsx';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { dollars } from '../../parts/money.ts';
import { useAccount } from '../../api/account.ts';
import { chargeText, type Plan, usePrices } from '../../parts/prices.ts';
import classes from './phones.module.css';

/** Shows the chosen facts. Where phones are charged, it adds the price, and the balance and trial that pay it. */
export function Cost({ plan, facts, children }: { plan: Plan; facts: readonly Fact[]; children: ReactNode }) {
  const { balance, trial } = useAccount();
  const prices = usePrices();
  const per = plan === 'minute' ? 'minute of running' : 'month';
  if (prices?.billing === false) {
    return (
      <Card title="Your phone">
        <Facts variant="bill" facts={facts} />
        {children}
      </Card>
    );
  }
  const hasTrial = plan === 'minute' && trial.minutes_left > 0;
  return (
    <Card title="What it costs">
      <p className={classes.price}>
        {prices?.[plan] ?? '…'} USD <small>per {per}</small>
      </p>
      <p className={classes.facts}>
        {hasTrial ? 'Your trial covers it until its minutes are used.' : chargeText(plan)}
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
