import { Button, Select, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import ChartColumn from 'lucide-react/icons/chart-column';
import { useState } from 'react';
import { Link } from 'wouter';
import { Card } from '../../parts/card.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import { dollars } from '../../parts/money.ts';
import { useBilling } from '../../parts/prices.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import forms from '../../parts/forms.module.css';
import { type Period, type PeriodName, periodOf } from './period.ts';
import { UsageChart } from './usage-chart.tsx';
import { amountOf, summed, usageOf } from './usage-query.ts';
import { SaveUsage, UsageTables } from './usage-tables.tsx';

/** Minutes and cost of a period, by day and by phone. */
export default function UsagePage() {
  const isBilled = useBilling() === true;
  const [name, setName] = useState<PeriodName>('this-month');
  const [period, setPeriod] = useState<Period>(() => periodOf('this-month', Date.now()));
  const query = useQuery({
    queryKey: ['usage', period],
    queryFn: async () => ({ period, rows: await usageOf(period) }),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });
  const choose = (value: PeriodName): void => {
    setName(value);
    if (value !== 'custom') setPeriod(periodOf(value, Date.now()));
  };
  const change = (part: Partial<Period>): void => {
    setName('custom');
    setPeriod({ ...period, ...part });
  };
  return (
    <>
      <PageHeader
        title="Usage"
        description="How long your phones ran. A minute counts from its first second; phones that you deleted are included."
        actions={query.data !== undefined && <SaveUsage {...query.data} isBilled={isBilled} />}
      />
      <div className={forms.fields}>
        <div className={`${forms.pair} ${forms.narrow}`}>
          <Select
            label="Period"
            data={[
              { value: 'this-month', label: 'This month' },
              { value: 'last-month', label: 'Last month' },
              { value: 'last-7-days', label: 'Last 7 days' },
              { value: 'custom', label: 'Other days' },
            ]}
            value={name}
            onChange={(value) => value !== null && choose(value)}
            allowDeselect={false}
          />
          <TextInput
            type="date"
            label="From"
            value={period.from}
            onChange={({ currentTarget }) => currentTarget.value !== '' && change({ from: currentTarget.value })}
          />
          <TextInput
            type="date"
            label="To"
            value={period.to}
            onChange={({ currentTarget }) => currentTarget.value !== '' && change({ to: currentTarget.value })}
          />
        </div>
        <Fetched query={query} what="usage">
          {({ rows, period: shown }) => {
            const [total] = summed(rows, () => 'all');
            return total === undefined ? (
              <EmptyState
                title="Nothing ran in this period"
                icon={ChartColumn}
                action={
                  <Button variant="default" component={Link} href="/phones">
                    Go to your phones
                  </Button>
                }
              >
                A running phone counts here from its first minute on.
              </EmptyState>
            ) : (
              <>
                <Card>
                  <Facts
                    variant="figures"
                    facts={[
                      ['Minutes', total.minutes.toLocaleString('en')],
                      ['Cost', isBilled ? dollars(amountOf(total.costMicros)) : undefined],
                      ['Phones', summed(rows, ({ device }) => device).length],
                    ]}
                  />
                </Card>
                <UsageChart rows={rows} period={shown} isBilled={isBilled} />
                <UsageTables rows={rows} isBilled={isBilled} />
              </>
            );
          }}
        </Fetched>
      </div>
    </>
  );
}
