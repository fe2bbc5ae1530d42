import { Button, SegmentedControl } from '@mantine/core';
import Download from 'lucide-react/icons/download';
import { useState } from 'react';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import forms from '../../parts/forms.module.css';
import { money } from '../../parts/money.ts';
import { saveFile } from '../../parts/save-file.ts';
import { utcDay } from '../../parts/time.tsx';
import type { Period } from './period.ts';
import { amountOf, summed, type Usage } from './usage-query.ts';

const MINUTES: Column<Usage> = {
  label: 'Minutes',
  cell: ({ minutes }) => minutes.toLocaleString('en'),
  align: 'right',
};

const OF_MONEY: readonly Column<Usage>[] = [
  MINUTES,
  { label: 'Cost (USD)', cell: ({ costMicros }) => money(amountOf(costMicros)), align: 'right' },
];

const DAY: Column<Usage> = { label: 'Day (UTC)', cell: ({ day }) => utcDay(day) };
const PHONE: Column<Usage> = { label: 'Phone', cell: ({ device }) => device, wraps: true };
const PLAN: Column<Usage> = { label: 'Plan', cell: ({ plan }) => `by the ${plan}` };

/** Shows the numbers of the chart, by day, or by phone with the phones that cost most first. */
export function UsageTables({ rows, isBilled }: { rows: readonly Usage[]; isBilled: boolean }) {
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
          caption="Each day"
          columns={[DAY, ...(isBilled ? OF_MONEY : [MINUTES])]}
          rows={summed(rows, ({ day }) => day)}
          keyOf={({ day }) => day}
        />
      ) : (
        <DataTable
          caption="Each phone"
          columns={[PHONE, ...(isBilled ? [PLAN, ...OF_MONEY] : [MINUTES])]}
          rows={phones.sort((a, b) => b.costMicros - a.costMicros || b.minutes - a.minutes)}
          keyOf={({ device, plan }) => `${device} ${plan}`}
        />
      )}
    </>
  );
}

/** Saves the usage of every phone on every day. The names of phones have no sign with a meaning in a spreadsheet. */
export function SaveUsage({
  rows,
  period: { from, to },
  isBilled,
}: {
  rows: readonly Usage[];
  period: Period;
  isBilled: boolean;
}) {
  const save = (): void => {
    const lines = rows.map(({ day, device, plan, minutes, costMicros }) =>
      (isBilled ? [day, device, plan, minutes, amountOf(costMicros)] : [day, device, minutes]).join(','),
    );
    const table = [isBilled ? 'day,device,plan,minutes,cost' : 'day,device,minutes', ...lines, ''].join('\r\n');
    saveFile(new Blob([table], { type: 'text/csv' }), `usage ${from} to ${to}.csv`);
  };
  return (
    <Button variant="default" leftSection={<Download size={16} />} disabled={rows.length === 0} onClick={save}>
      Save as CSV
    </Button>
  );
}
