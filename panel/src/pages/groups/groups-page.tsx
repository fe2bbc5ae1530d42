import { Button } from '@mantine/core';
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import Layers from 'lucide-react/icons/layers';
import Plus from 'lucide-react/icons/plus';
import { Link } from 'wouter';
import { api, type Schemas, take } from '../../api/client.ts';
import { useRight } from '../../api/use-right.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import { Labels } from '../../parts/labels.tsx';
import { OlderButton } from '../../parts/older-button.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { Moment } from '../../parts/time.tsx';
import { groupTitle } from './group-title.ts';

type GroupSummary = Schemas['GroupSummary'];

/** The number of groups that are fetched at a time; older ones come on request. */
const PAGE = 50;

/** How often the list is polled, ms. It is polled more often while a group runs. */
const BUSY_POLL_MS = 1_000;
const POLL_MS = 10_000;

/** The groups of the account, newest first. */
const groupsQuery = infiniteQueryOptions({
  queryKey: ['groups'],
  initialPageParam: '',
  queryFn: ({ pageParam }) =>
    take(api.GET('/v1/groups', { params: { query: { limit: PAGE, ...(pageParam !== '' && { cursor: pageParam }) } } })),
  getNextPageParam: ({ next_cursor }) => next_cursor,
  refetchInterval: ({ state: { data } }) =>
    data?.pages.some(({ groups }) => groups.some(({ state }) => state === 'running')) === true ? BUSY_POLL_MS : POLL_MS,
});

const COLUMNS: readonly Column<GroupSummary>[] = [
  {
    label: 'Group',
    cell: ({ id, name, labels, devices }) => (
      <>
        <TextLink href={`/groups/${id}`}>{groupTitle(name, devices)}</TextLink>
        <Labels of={groupTitle(name, devices)} labels={labels} />
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
  const mayChange = useRight('phones');
  const create = mayChange && (
    <Button component={Link} href="/groups/new" leftSection={<Plus size={16} />}>
      Run a group
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Groups"
        description="The same steps on many phones at once."
        actions={query.data?.pages[0]?.groups.length !== 0 && create}
      />
      <Fetched query={query} what="groups">
        {({ pages }) => {
          const groups = pages.flatMap((page) => page.groups);
          return groups.length === 0 ? (
            <EmptyState title="No groups yet" icon={Layers} action={create}>
              Start, install, open and tap on all the phones that you choose, and see how far each one is.
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
