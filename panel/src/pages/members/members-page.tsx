import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import UserPlus from 'lucide-react/icons/user-plus';
import { Link } from 'wouter';
import { useAccount } from '../../api/account.ts';
import { useRole } from '../../api/use-right.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import forms from '../../parts/forms.module.css';
import { PageHeader } from '../../parts/page-header.tsx';
import { seenPhonesOf, seenWords } from '../../parts/seen-phones.ts';
import { Moment } from '../../parts/time.tsx';
import { Invitations } from './invitations.tsx';
import { type Member, membersQuery } from './members-query.ts';

/** The people of the account, and those who are invited. */
export default function MembersPage() {
  const { member: own } = useAccount();
  const role = useRole();
  const query = useQuery(membersQuery);
  const columns: readonly Column<Member>[] = [
    {
      label: 'Person',
      cell: ({ id, name, email }) => (
        <>
          {name ?? email}
          {id === own?.id && ' (you)'}
          {name !== undefined && <div className={forms.quiet}>{email}</div>}
        </>
      ),
      wraps: true,
    },
    { label: 'Role', cell: (one) => one.role },
    { label: 'Phones', cell: (one) => seenWords(seenPhonesOf(one)), wraps: true },
    { label: 'Second factor', cell: (one) => (one.second_factor ? 'yes' : 'no') },
    {
      label: 'Last seen',
      cell: ({ last_seen_at: at }) => (at === undefined ? 'never' : <Moment at={at} />),
    },
    {
      label: '',
      // An admin changes everyone except owners.
      cell: ({ id, email, role: theirs }) =>
        (theirs !== 'owner' || role === 'owner') && (
          <Button
            component={Link}
            href={`/members/${id}`}
            size="compact-sm"
            variant="default"
            aria-label={`Edit ${email}`}
          >
            Edit
          </Button>
        ),
    },
  ];
  return (
    <>
      <PageHeader
        title="Members"
        description="The people who use this account. Each signs in as themselves, with a role and the phones that they may see."
        actions={
          <Button component={Link} href="/members/invite" leftSection={<UserPlus size={16} />}>
            Invite a person
          </Button>
        }
      />
      <div className={forms.fields}>
        <Fetched query={query} what="the members">
          {(members) => <DataTable caption="Members" columns={columns} rows={members} keyOf={({ id }) => id} />}
        </Fetched>
        <Invitations />
      </div>
    </>
  );
}
