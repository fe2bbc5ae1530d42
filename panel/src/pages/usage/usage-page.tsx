import { Select, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import ChartColumn from 'lucide-react/icons/chart-column';
import { useState } from 'react';
import { api, type Schemas, take } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import forms from '../../parts/forms.module.css';
import { type Period, type PeriodName, periodOf } from './period.ts';
import { UsageChart } from './usage-chart.tsx';

type DeviceUsage = Schemas['DeviceUsage'];

const COLUMNS: readonly Column<DeviceUsage>[] = [
  { label: 'Phone', cell: ({ device }) => device, wraps: true },
  { label: 'Plan', cell: ({ plan }) => `by the ${plan}` },
  { label: 'Minutes', cell: ({ minutes }) => minutes, align: 'right' },
  { label: 'Cost (USD)', cell: ({ cost }) => cost, align: 'right' },
];

/** Minutes and cost of each phone in a period. */
export default function UsagePage() {
  const [name, setName] = useState<PeriodName>('this-month');
  const [period, setPeriod] = useState<Period>(() => periodOf('this-month', Date.now()));
  const query = useQuery({
    queryKey: ['usage', period],
    queryFn: () => everyUsage(period),
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
        description="Begun minutes of running, by days of UTC. Deleted phones are included, and so is the minute that has begun."
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
          {(data) => (
            <>
              <Card>
                <Facts
                  variant="figures"
                  facts={[
                    ['Minutes', data.total.minutes],
                    ['Cost', `${data.total.cost} USD`],
                    ['Phones', data.devices.length],
                  ]}
                />
              </Card>
              {data.devices.length === 0 ? (
                <EmptyState title="Nothing ran in this period" icon={ChartColumn}>
                  A running phone counts here from its first minute on.
                </EmptyState>
              ) : (
                <>
                  <Card title="Minutes by phone">
                    <UsageChart devices={data.devices} />
                  </Card>
                  <DataTable
                    caption="Minutes and cost of each phone"
                    columns={COLUMNS}
                    rows={data.devices}
                    keyOf={(row) => data.devices.indexOf(row)}
                  />
                </>
              )}
            </>
          )}
        </Fetched>
      </div>
    </>
  );
}

/** The usage of a period with all of its phones; the total is the same on every page. */
async function everyUsage(period: Period): Promise<{ devices: DeviceUsage[]; total: Schemas['UsageTotal'] }> {
  const devices: DeviceUsage[] = [];
  let cursor: string | undefined;
  for (;;) {
    const query = { ...period, limit: 200, ...(cursor !== undefined && { cursor }) };
    const page = await take(api.GET('/v1/usage', { params: { query } }));
    devices.push(...page.devices);
    cursor = page.next_cursor;
    if (cursor === undefined) return { devices, total: page.total };
  }
}
