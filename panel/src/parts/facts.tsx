import type { ReactNode } from 'react';
import classes from './parts.module.css';

/** A name and its value; left out where the value is undefined. */
export type Fact = readonly [name: string, value: ReactNode];

interface Props {
  facts: readonly Fact[];
  /** `list`: one below the other. `bill`: the same, with the values at the right edge. `figures`: large numbers, side by side. */
  variant?: 'list' | 'bill' | 'figures';
}

/** Names and values. */
export function Facts({ facts, variant = 'list' }: Props) {
  return (
    <dl className={classes.facts} data-variant={variant}>
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
