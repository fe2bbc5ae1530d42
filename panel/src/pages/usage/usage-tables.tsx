import { Button, SegmentedControl } from '@mantine/core';
import Download from 'lucide-react/icons/download';
import { useState } from 'react';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import forms from '../../parts/forms.module.css';
import { money } from '../../parts/money.ts';
import { saveFile } from '../../parts/save-file.ts';
import type { Period } from './period.ts';
import { amountOf, summed, type Usage } from './usage-query.ts';

const AMOUNTS: readonly Column<Usage>[] = [
  { label: 'Minutes', cell: ({ minutes }) => minutes.toLocaleString('en'), align: 'right' },
  { label: 'Cost (USD)', cell: ({ costMicros }) => money(amountOf(costMicros)), align: 'right' },
];

const BY_DAY: readonly Column<Usage>[] = [{ label: 'Day (UTC)', cell: ({ day }) => day }, ...AMOUNTS];

const BY_PHONE: readonly Column<Usage>[] = [
  { label: 'Phone', cell: ({ device }) => device, wraps: true },
  { label: 'Plan', cell: ({ plan }) => `by the ${plan}` },
  ...AMOUNTS,
];

/** The same as the chart, in numbers: by day, or by phone with the ones that cost most first. */
export function UsageTables({ rows }: { rows: readonly Usage[] }) {
  const [by, setBy] = useState<'day' | 'phone'>('day');
  const phones = summed(rows, ({ device, plan }) => `${device} ${plan}`);
  return (
    <>
      <SegmentedControl
        aria-label="Table"
        className={forms.start}
        data={[
          { value: 'day', label: 'By day' },
          { value: 'phone', label: 'By phone' },
        ]}
        value={by}
        onChange={setBy}
      />
      {by === 'day' ? (
        <DataTable
          caption="Minutes and cost of each day"
          columns={BY_DAY}
          rows={summed(rows, ({ day }) => day)}
          keyOf={({ day }) => day}
        />
      ) : (
        <DataTable
          caption="Minutes and cost of each phone"
          columns={BY_PHONE}
          rows={phones.sort((a, b) => b.costMicros - a.costMicros || b.minutes - a.minutes)}
          keyOf={({ device, plan }) => `${device} ${plan}`}
        />
      )}
    </>
  );
}

/** Saves every day of every phone. The names of phones have no letter that means something in a spreadsheet. */
export function SaveUsage({ rows, period: { from, to } }: { rows: readonly Usage[]; period: Period }) {
  const save = (): void => {
    const lines = rows.map(({ day, device, plan, minutes, costMicros }) =>
      [day, device, plan, minutes, amountOf(costMicros)].join(','),
    );
    const table = ['day,device,plan,minutes,cost', ...lines, ''].join('\r\n');
    saveFile(new Blob([table], { type: 'text/csv' }), `usage ${from} to ${to}.csv`);
  };
  return (
    <Button variant="default" leftSection={<Download size={16} />} disabled={rows.length === 0} onClick={save}>
      Save as CSV
    </Button>
  );
}
