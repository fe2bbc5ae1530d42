import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import Plus from 'lucide-react/icons/plus';
import Waves from 'lucide-react/icons/waves';
import { Link } from 'wouter';
import { plainWords } from '../../api/plain-words.ts';
import { useRight } from '../../api/use-right.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import forms from '../../parts/forms.module.css';
import { PageHeader } from '../../parts/page-header.tsx';
import { useBilling } from '../../parts/prices.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { type Pool, poolsQuery } from './pools-query.ts';

const COLUMNS: readonly Column<Pool>[] = [
  { label: 'Pool', cell: ({ name }) => <TextLink href={`/pools/${name}`}>{name}</TextLink>, wraps: true },
  { label: 'Made from', cell: ({ template, model }) => template ?? model ?? '', wraps: true },
  {
    label: 'State',
    cell: ({ problem }) =>
      problem === undefined ? (
        <StatusBadge state="ok">fine</StatusBadge>
      ) : (
        <>
          <StatusBadge state="problem" />
          <div className={forms.quiet}>{plainWords(problem.message)}</div>
        </>
      ),
    wraps: true,
  },
  { label: 'Ready', cell: ({ phones, ready }) => `${phones.ready} of ${ready}`, align: 'right' },
  { label: 'Leased', cell: ({ phones }) => phones.leased, align: 'right' },
  { label: 'Starting', cell: ({ phones }) => phones.starting, align: 'right' },
  { label: 'Most', cell: ({ most }) => most, align: 'right' },
  { label: 'Ready minutes today', cell: ({ warm }) => warm.minutes_today, align: 'right' },
];

/** What the ready phones cost, where phones are charged. */
const PRICE: Column<Pool> = {
  label: 'USD an hour',
  cell: ({ warm }) => warm.price_per_hour,
  align: 'right',
};

/** The pools of the account, and how many of their phones are ready. */
export default function PoolsPage() {
  const query = useQuery(poolsQuery);
  const isBilled = useBilling() === true;
  const mayChange = useRight('phones');
  const create = mayChange && (
    <Button component={Link} href="/pools/new" leftSection={<Plus size={16} />}>
      Create a pool
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Pools"
        description="Phones that run before they are needed. A lease takes one at once, and the pool makes the next."
        actions={query.data?.length !== 0 && create}
      />
      <Fetched query={query} what="the pools">
        {(pools) => (
          <DataTable
            caption="Pools"
            columns={isBilled ? [...COLUMNS, PRICE] : COLUMNS}
            rows={pools}
            keyOf={({ name }) => name}
            empty={
              <EmptyState title="No pools yet" icon={Waves} action={create}>
                With a pool, a test run gets its phones at once, with the apps on them.
              </EmptyState>
            }
          />
        )}
      </Fetched>
    </>
  );
}
