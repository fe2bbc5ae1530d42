import type { ReactNode } from 'react';
import { Card } from '../../parts/card.tsx';
import { useAccount } from '../../session/account.ts';
import { type Plan, PRICES } from './prices.ts';
import classes from './phones.module.css';

/** What a phone will cost, and what there is to pay it with. */
export function Cost({
  plan,
  facts,
  children,
}: {
  plan: Plan;
  facts: readonly [name: string, value: string][];
  children: ReactNode;
}) {
  const { balance, trial } = useAccount();
  const { amount, per, text } = PRICES[plan];
  const hasTrial = plan === 'minute' && trial.minutes_left > 0;
  const rows: [string, string][] = [
    ...facts.map(([name, value]): [string, string] => [name, value]),
    ['Balance', `${balance} USD`],
  ];
  if (hasTrial) rows.push(['Trial', `${trial.minutes_left} min left`]);
  return (
    <Card title="What it costs">
      <p className={classes.price}>
        {amount} USD <small>per {per}</small>
      </p>
      <p className={classes.facts}>{hasTrial ? 'Your trial covers it until its minutes are used.' : text}</p>
      <dl className={classes.sums}>
        {rows.map(([name, value]) => (
          <div key={name} className={classes.sum}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {children}
    </Card>
  );
}
