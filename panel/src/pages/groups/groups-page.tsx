import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import Layers from 'lucide-react/icons/layers';
import Plus from 'lucide-react/icons/plus';
import { Link } from 'wouter';
import type { Schemas } from '../../api/client.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import { Labels } from '../../parts/labels.tsx';
import { OlderButton } from '../../parts/older-button.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { Moment } from '../../parts/time.tsx';
import { groupsQuery } from './groups-query.ts';

type GroupSummary = Schemas['GroupSummary'];

const COLUMNS: readonly Column<GroupSummary>[] = [
  {
    label: 'Group',
    cell: ({ id, name, labels }) => (
      <>
        <TextLink href={`/groups/${id}`}>{name ?? id}</TextLink>
        <Labels of={name ?? id} labels={labels} />
      </>
    ),
    wraps: true,
  },
  {
    label: 'State',
    cell: ({ state }) => <StatusBadge state={state} {...(state === 'running' && { tone: 'work' as const })} />,
  },
  { label: 'Phones', cell: ({ devices }) => devices, align: 'right' },
  { label: 'Started', cell: ({ created_at }) => <Moment at={created_at} /> },
];

/** Lists the groups of the account. */
export default function GroupsPage() {
  const query = useInfiniteQuery(groupsQuery);
  const create = (
    <Button component={Link} href="/groups/new" leftSection={<Plus size={16} />}>
      Run a group
    </Button>
  );
  return (
    <>
      <PageHeader title="Groups" description="The same steps on many phones at once." actions={create} />
      <Fetched query={query} what="groups">
        {({ pages }) => {
          const groups = pages.flatMap((page) => page.groups);
          return groups.length === 0 ? (
            <EmptyState title="No groups yet" icon={Layers} action={create}>
              Start, install, open and tap on every phone that you choose, and watch how far each one is.
            </EmptyState>
          ) : (
            <DataTable caption="Groups, newest first" columns={COLUMNS} rows={groups} keyOf={({ id }) => id} />
          );
        }}
      </Fetched>
      <OlderButton query={query}>Show older groups</OlderButton>
    </>
  );
}
