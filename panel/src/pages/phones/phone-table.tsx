import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import type { Device } from '../../api/client.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { PhoneMenu } from '../../parts/phone-menu.tsx';
import { PowerButton } from '../../parts/power-button.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { duration } from '../../parts/time.tsx';
import { BulkActions } from './bulk-actions.tsx';
import { Labels } from '../../parts/labels.tsx';
import classes from './phones.module.css';

/** Phones as rows, several of which can be chosen and changed at once. */
export function PhoneTable({ devices }: { devices: readonly Device[] }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  // Those that a filter hides, or that have gone, are not acted on.
  const acted = devices.filter(({ name }) => chosen.has(name));
  const choose = (names: readonly string[], isChosen: boolean): void => {
    const next = new Set(chosen);
    for (const name of names) next[isChosen ? 'add' : 'delete'](name);
    setChosen(next);
  };
  const names = devices.map(({ name }) => name);
  const isAll = acted.length === devices.length;
  return (
    <>
      <div className={classes.chooser}>
        <Checkbox
          label={acted.length === 0 ? `Choose all ${devices.length}` : `${acted.length} of ${devices.length} chosen`}
          checked={isAll}
          indeterminate={acted.length > 0 && !isAll}
          onChange={() => choose(names, !isAll)}
        />
        {acted.length > 0 && <BulkActions devices={acted} />}
      </div>
      <DataTable
        caption="Phones"
        columns={[
          {
            label: 'Phone',
            cell: ({ name, labels }) => (
              <div className={classes.choosable}>
                <Checkbox
                  aria-label={`Choose ${name}`}
                  checked={chosen.has(name)}
                  onChange={({ currentTarget }) => choose([name], currentTarget.checked)}
                />
                <div>
                  <TextLink href={`/phones/${name}`}>{name}</TextLink>
                  <Labels of={name} labels={labels} />
                </div>
              </div>
            ),
            wraps: true,
          },
          ...COLUMNS,
        ]}
        rows={devices}
        keyOf={({ name }) => name}
      />
    </>
  );
}

const COLUMNS: readonly Column<Device>[] = [
  {
    label: 'State',
    cell: ({ state, problem }) => (
      <>
        <StatusBadge state={state} />
        {problem !== undefined && <p className={classes.problem}>{problem.message}</p>}
      </>
    ),
    wraps: true,
  },
  {
    label: 'Model',
    cell: ({ model, android }) => `${model}, Android ${android}`,
    wraps: true,
  },
  { label: 'Network', cell: ({ exit }) => `${exit.type} ${exit.country.toUpperCase()}` },
  { label: 'Up', cell: ({ state, uptime }) => (state === 'running' ? duration(uptime) : ''), align: 'right' },
  { label: 'Minutes today', cell: ({ minutes_today }) => minutes_today, align: 'right' },
  {
    label: '',
    cell: (device) => (
      <>
        <PowerButton device={device} size="compact-xs" />
        <PhoneMenu device={device} />
      </>
    ),
  },
];
