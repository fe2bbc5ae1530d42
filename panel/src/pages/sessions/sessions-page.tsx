import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, type Schemas, take } from '../../api/client.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import forms from '../../parts/forms.module.css';
import { PageHeader } from '../../parts/page-header.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { Moment } from '../../parts/time.tsx';

type Session = Schemas['Session'];

/** Lists the sessions in which the owner of the account is signed in. */
export default function SessionsPage() {
  const client = useQueryClient();
  const query = useQuery({
    queryKey: ['sessions'],
    queryFn: async () => (await take(api.GET('/v1/sessions'))).sessions,
    refetchInterval: 30_000,
  });
  const reload = () => client.invalidateQueries({ queryKey: ['sessions'] });
  const end = useMutation({
    mutationFn: (id: string) => take(api.DELETE('/v1/sessions/{id}', { params: { path: { id } } })),
    // The list is fetched also after an error, as the session may have ended by itself.
    onSettled: reload,
  });
  const columns: readonly Column<Session>[] = [
    {
      label: 'Address',
      cell: ({ address, current }) => (current ? `${address} (this session)` : address),
      wraps: true,
    },
    { label: 'Signed in', cell: ({ created_at }) => <Moment at={created_at} /> },
    { label: 'Last used', cell: ({ last_used_at }) => <Moment at={last_used_at} /> },
    {
      label: '',
      cell: ({ id, address, current }) =>
        !current && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => end.mutate(id)}
            loading={end.isPending && end.variables === id}
            aria-label={`Sign out ${address}`}
          >
            Sign out
          </Button>
        ),
    },
  ];
  return (
    <>
      <PageHeader
        title="Sessions"
        description={
          <>
            Where you are signed in. A session ends 30 days after its last use, and 90 days after you signed in. You do
            not know one of them? Sign it out, and <TextLink href="/account">change your password</TextLink>.
          </>
        }
      />
      <div className={forms.fields}>
        <ErrorAlert error={end.error} />
        <Fetched query={query} what="sessions">
          {(sessions) => <DataTable caption="Sessions" columns={columns} rows={sessions} keyOf={({ id }) => id} />}
        </Fetched>
      </div>
    </>
  );
}
