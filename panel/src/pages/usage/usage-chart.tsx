import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { Card } from '../../parts/card.tsx';
import { dollars } from '../../parts/money.ts';
import type { Period } from './period.ts';
import { type Measure, type StackedBy, stacksOf, total } from './stacks.ts';
import { amountOf, type Usage } from './usage-query.ts';
import classes from './usage.module.css';

/** Width and height of the drawing, in its own units; it is stretched to its place. */
const [BAR, GAP, HEIGHT] = [10, 2, 100];

const MEASURES = [
  { value: 'minutes', label: 'Minutes' },
  { value: 'costMicros', label: 'Cost' },
] as const;
const STACKED_BY = [
  { value: 'device', label: 'Phones' },
  { value: 'plan', label: 'Plans' },
] as const;

/** Shows minutes or cost in a bar for each day, stacked by phone or plan. The table below has the same numbers for screen readers. */
export function UsageChart({ rows, period, isBilled }: { rows: readonly Usage[]; period: Period; isBilled: boolean }) {
  const [chosen, setMeasure] = useState<Measure>('minutes');
  const measure = isBilled ? chosen : 'minutes';
  const [by, setBy] = useState<StackedBy>('device');
  const { legend, hasOthers, bars, most, unit } = stacksOf(rows, period, measure, by);
  const partOf = (part: number): number | string => (hasOthers && part === legend.length - 1 ? 'others' : part);
  const show = (amount: number): string =>
    measure === 'minutes' ? `${amount.toLocaleString('en')} min` : dollars(amountOf(amount));
  const title = measure === 'minutes' ? `Minutes, by ${unit} (UTC)` : `Cost, by ${unit} (UTC)`;
  return (
    <Card
      title={title}
      actions={
        isBilled && (
          <div className={classes.choices}>
            <SegmentedControl aria-label="Show" size="xs" data={[...MEASURES]} value={measure} onChange={setMeasure} />
            <SegmentedControl aria-label="Divide by" size="xs" data={[...STACKED_BY]} value={by} onChange={setBy} />
          </div>
        )
      }
    >
      <figure className={classes.chart} aria-label={title}>
        <div className={classes.most}>{show(most)}</div>
        <svg
          className={classes.plot}
          viewBox={`0 0 ${bars.length * BAR} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden
        >
          {bars.map(({ label, parts }, at) => (
            <g key={label}>
              <title>{`${label}: ${show(total(parts))}`}</title>
              <rect className={classes.hit} x={at * BAR} y={0} width={BAR} height={HEIGHT} />
              {parts.map((amount, part) => {
                const height = most === 0 ? 0 : (amount / most) * HEIGHT;
                const below = most === 0 ? 0 : (total(parts.slice(0, part)) / most) * HEIGHT;
                return (
                  <rect
                    key={legend[part]}
                    data-part={partOf(part)}
                    x={at * BAR + GAP / 2}
                    y={HEIGHT - below - height}
                    width={BAR - GAP}
                    height={height}
                  >
                    <title>{`${label}, ${legend[part] ?? ''}: ${show(amount)}`}</title>
                  </rect>
                );
              })}
            </g>
          ))}
        </svg>
        <div className={classes.axis}>
          <span>{bars.at(0)?.label}</span>
          <span>{bars.at(-1)?.label}</span>
        </div>
        <ul className={classes.legend}>
          {legend.map((name, part) => (
            <li key={name}>
              <svg viewBox="0 0 1 1" aria-hidden>
                <rect data-part={partOf(part)} width="1" height="1" />
              </svg>
              {name}
            </li>
          ))}
        </ul>
      </figure>
    </Card>
  );
}
