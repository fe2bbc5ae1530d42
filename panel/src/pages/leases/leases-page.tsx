import { useQuery } from '@tanstack/react-query';
import Hourglass from 'lucide-react/icons/hourglass';
import { useRight } from '../../api/use-right.ts';
import { EndLeaseButton } from '../../leases/end-lease-button.tsx';
import { type Lease, leasesQuery } from '../../leases/leases-query.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { RecentMoment } from '../../parts/time.tsx';

const COLUMNS: readonly Column<Lease>[] = [
  { label: 'Phone', cell: ({ device }) => <TextLink href={`/phones/${device}`}>{device}</TextLink>, wraps: true },
  { label: 'By', cell: ({ holder }) => holder.name, wraps: true },
  { label: 'For', cell: ({ note }) => note ?? '–', wraps: true },
  { label: 'Until', cell: ({ expires_at }) => <RecentMoment at={expires_at} /> },
  { label: 'At its end', cell: ({ at_end: atEnd }) => atEnd },
  {
    label: 'Pool',
    cell: ({ pool }) => (pool === undefined ? '–' : <TextLink href={`/pools/${pool}`}>{pool}</TextLink>),
    wraps: true,
  },
];

const END: Column<Lease> = { label: '', cell: (lease) => <EndLeaseButton lease={lease} /> };

/** Who has which phone, and until when. */
export default function LeasesPage() {
  const query = useQuery(leasesQuery);
  const mayChange = useRight('phones');
  return (
    <>
      <PageHeader
        title="Leases"
        description="Who has which phone, and until when. While a program has a phone, nobody else can change it."
      />
      <Fetched query={query} what="the leases">
        {(leases) => (
          <DataTable
            caption="Leases"
            columns={mayChange ? [...COLUMNS, END] : COLUMNS}
            rows={leases}
            keyOf={({ id }) => id}
            empty={
              <EmptyState title="No phone is leased" icon={Hourglass}>
                A program leases a phone so that no other one disturbs it: a test run, an agent, a script.
              </EmptyState>
            }
          />
        )}
      </Fetched>
    </>
  );
}
