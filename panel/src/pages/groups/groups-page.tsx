import { Button } from '@mantine/core';
import Layers from 'lucide-react/icons/layers';
import Plus from 'lucide-react/icons/plus';
import { Link } from 'wouter';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Moment } from '../../parts/time.tsx';
import { useAccount } from '../../session/account.ts';
import { type RecentGroup, recentGroups } from './recent-groups.ts';
import { TextLink } from '../../parts/text-link.tsx';

const COLUMNS: readonly Column<RecentGroup>[] = [
  { label: 'Group', cell: ({ id }) => <TextLink href={`/groups/${id}`}>{id}</TextLink>, wraps: true },
  { label: 'Phones', cell: ({ devices }) => devices, align: 'right' },
  { label: 'Started', cell: ({ created_at }) => <Moment at={created_at} /> },
];

/** Lists the groups that were created in this browser. */
export default function GroupsPage() {
  const groups = recentGroups(useAccount().email);
  const create = (
    <Button component={Link} href="/groups/new" leftSection={<Plus size={16} />}>
      Run a group
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Groups"
        description="The same steps on many phones at once. Listed are those that were started in this browser; runs of schedules are on the page of schedules."
        actions={create}
      />
      {groups.length === 0 ? (
        <EmptyState title="No groups yet" icon={Layers} action={create}>
          Start, install, open and tap on every phone that you choose, and watch how far each one is.
        </EmptyState>
      ) : (
        <DataTable caption="Groups, newest first" columns={COLUMNS} rows={groups} keyOf={({ id }) => id} />
      )}
    </>
  );
}
