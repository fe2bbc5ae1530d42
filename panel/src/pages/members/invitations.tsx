import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, take } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import forms from '../../parts/forms.module.css';
import { seenPhonesOf, seenWords } from '../../parts/seen-phones.ts';
import { Moment } from '../../parts/time.tsx';
import { type Invitation, invitationsQuery } from './members-query.ts';

/** The open invitations, which can be withdrawn. Their links are not shown again, as nothing keeps them. */
export function Invitations() {
  const client = useQueryClient();
  const query = useQuery(invitationsQuery);
  const withdraw = useMutation({
    mutationFn: (id: string) => take(api.DELETE('/v1/account/invitations/{id}', { params: { path: { id } } })),
    // The list is fetched also after an error, as the invitation may have been accepted meanwhile.
    onSettled: () => client.invalidateQueries({ queryKey: ['invitations'] }),
  });
  const columns: readonly Column<Invitation>[] = [
    { label: 'E-mail', cell: ({ email }) => email, wraps: true },
    { label: 'Role', cell: ({ role }) => role },
    { label: 'Phones', cell: (one) => seenWords(seenPhonesOf(one)), wraps: true },
    { label: 'Invited by', cell: ({ invited_by: by }) => by, wraps: true },
    { label: 'Link', cell: ({ mailed }) => (mailed ? 'mailed' : 'passed on by hand') },
    { label: 'Works until', cell: ({ expires_at: at }) => <Moment at={at} /> },
    {
      label: '',
      cell: ({ id, email }) => (
        <Button
          size="compact-sm"
          variant="default"
          loading={withdraw.isPending && withdraw.variables === id}
          onClick={() => withdraw.mutate(id)}
          aria-label={`Withdraw the invitation of ${email}`}
        >
          Withdraw
        </Button>
      ),
    },
  ];
  return (
    <Card title="Open invitations" description="A link works once. To send another one, invite the same address again.">
      <ErrorAlert error={withdraw.error} />
      <Fetched query={query} what="the invitations">
        {(invitations) =>
          invitations.length === 0 ? (
            <p className={forms.quiet}>Nobody is invited just now.</p>
          ) : (
            <DataTable caption="Open invitations" columns={columns} rows={invitations} keyOf={({ id }) => id} />
          )
        }
      </Fetched>
    </Card>
  );
}
