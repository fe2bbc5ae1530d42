import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Device } from '../../api/client.ts';
import { devicesQuery } from '../../api/devices.ts';
import { HoldBadge } from '../../leases/hold-badge.tsx';
import { leaseText } from '../../parts/hold.ts';
import { Card } from '../../parts/card.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TextLink } from '../../parts/text-link.tsx';

const COLUMNS: readonly Column<Device>[] = [
  { label: 'Phone', cell: ({ name }) => <TextLink href={`/phones/${name}`}>{name}</TextLink>, wraps: true },
  {
    label: 'State',
    cell: (device) => (
      <Group gap="xs">
        <StatusBadge state={device.state} />
        {device.lease !== undefined && <HoldBadge device={device} />}
      </Group>
    ),
  },
  { label: 'Lease', cell: ({ lease }) => (lease === undefined ? '–' : leaseText(lease)), wraps: true },
];

/** The phones that belong to a pool now. */
export function PoolPhones({ pool }: { pool: string }) {
  const query = useQuery(devicesQuery);
  return (
    <Card title="Phones">
      <Fetched query={query} what="the phones of the pool">
        {(devices) => (
          <DataTable
            caption={`Phones of ${pool}`}
            columns={COLUMNS}
            rows={devices.filter((device) => device.pool === pool)}
            keyOf={({ name }) => name}
            empty={<p>There are none now.</p>}
          />
        )}
      </Fetched>
    </Card>
  );
}
