import { Checkbox } from '@mantine/core';
import { useRef, useState } from 'react';
import type { Device } from '../../api/client.ts';
import { useRight } from '../../api/use-right.ts';
import { HoldBadge } from '../../leases/hold-badge.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { PhoneMenu } from '../../parts/phone-menu.tsx';
import { PowerButton } from '../../parts/power-button.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { BulkActions } from './bulk-actions.tsx';
import { ColumnChoice, useColumns } from './column-choice.tsx';
import { NoSuchPhones } from './no-such-phones.tsx';
import classes from './phones.module.css';
import { useRowKeys } from './use-row-keys.ts';

/** Phones as rows. Several can be chosen and changed together, by keyboard too. */
export function PhoneTable({ devices, onReset }: { devices: readonly Device[]; onReset: () => void }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const columns = useColumns();
  const mayChange = useRight('phones');
  const table = useRef<HTMLDivElement>(null);
  // Phones that a filter hides, or that are gone, are not acted on.
  const acted = devices.filter(({ name }) => mayChange && chosen.has(name));
  const choose = (names: readonly string[], isChosen: boolean): void => {
    const next = new Set(chosen);
    for (const name of names) next[isChosen ? 'add' : 'delete'](name);
    setChosen(next);
  };
  useRowKeys(table, (name) => mayChange && choose([name], !chosen.has(name)));
  const names = devices.map(({ name }) => name);
  const isAll = acted.length === devices.length;
  return (
    <div ref={table}>
      <div className={classes.chooser} hidden={devices.length === 0}>
        {mayChange && (
          <Checkbox
            size="xs"
            label={acted.length === 0 ? `Choose all ${devices.length}` : `${acted.length} of ${devices.length} chosen`}
            checked={isAll}
            indeterminate={acted.length > 0 && !isAll}
            onChange={() => choose(names, !isAll)}
          />
        )}
        {acted.length > 0 ? (
          <BulkActions devices={acted} />
        ) : (
          <p className={classes.keys}>
            <kbd>j</kbd> <kbd>k</kbd> move ·{' '}
            {mayChange && (
              <>
                <kbd>x</kbd> choose ·{' '}
              </>
            )}
            <kbd>Enter</kbd> open
          </p>
        )}
        <span className={classes.columns}>
          <ColumnChoice {...columns} />
        </span>
      </div>
      <DataTable
        caption="Phones"
        isDense
        columns={[
          {
            label: 'Phone',
            // Wide tables show whole long names; narrow ones cut them off.
            width: 'clamp(10rem, 40cqi - 10rem, 20rem)',
            cell: (device) => (
              <div className={classes.choosable}>
                {mayChange && (
                  <Checkbox
                    size="xs"
                    aria-label={`Choose ${device.name}`}
                    checked={chosen.has(device.name)}
                    onChange={({ currentTarget }) => choose([device.name], currentTarget.checked)}
                  />
                )}
                <TextLink href={`/phones/${device.name}`}>{device.name}</TextLink>
                <HoldBadge device={device} />
              </div>
            ),
          },
          ...columns.shown,
          ...(mayChange
            ? [
                {
                  label: '',
                  width: '5rem',
                  cell: (device: Device) => (
                    <>
                      <PowerButton device={device} size="compact-xs" look="icon" />
                      <PhoneMenu device={device} />
                    </>
                  ),
                },
              ]
            : []),
        ]}
        rows={devices}
        empty={<NoSuchPhones onReset={onReset} />}
        keyOf={({ name }) => name}
        isChosen={({ name }) => chosen.has(name)}
      />
    </div>
  );
}
