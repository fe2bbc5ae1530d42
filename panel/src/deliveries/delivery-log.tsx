import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, take } from '../api/client.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Fetched } from '../parts/fetched.tsx';
import { OlderButton } from '../parts/older-button.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { Moment } from '../parts/time.tsx';
import forms from '../parts/forms.module.css';
import { deliveriesQuery, type Delivery } from './deliveries-query.ts';

interface Props {
  /** Of one key only. Absent: of all. */
  keyId?: string;
  state?: Delivery['state'] | undefined;
}

/** The deliveries to webhooks, each attempt with its outcome, and a button to send it again. */
export function DeliveryLog({ keyId, state }: Props) {
  const client = useQueryClient();
  const query = useInfiniteQuery(deliveriesQuery(state));
  const again = useMutation({
    mutationFn: (id: string) => take(api.POST('/v1/webhooks/deliveries/{id}/redeliver', { params: { path: { id } } })),
    onSettled: () => client.invalidateQueries({ queryKey: ['deliveries'] }),
  });
  const columns: readonly Column<Delivery>[] = [
    { label: 'Event', cell: ({ event, device }) => (device === '' ? event : `${event}, ${device}`), wraps: true },
    { label: 'URL', cell: ({ url }) => url, wraps: true },
    { label: 'State', cell: ({ state: is }) => <StatusBadge state={is} /> },
    { label: 'Attempts', cell: Attempts, wraps: true },
    {
      label: '',
      cell: ({ id, event, state: is }) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Send again: ${event}`}
          disabled={is === 'pending'}
          loading={again.isPending && again.variables === id}
          onClick={() => again.mutate(id)}
        >
          Send again
        </Button>
      ),
    },
  ];
  return (
    <div className={forms.fields}>
      <ErrorAlert error={again.error} />
      <Fetched query={query} what="deliveries">
        {({ pages }) => (
          <DataTable
            caption="Deliveries, newest first"
            columns={columns}
            rows={pages
              .flatMap(({ deliveries }) => deliveries)
              .filter(({ key_id }) => keyId === undefined || key_id === keyId)}
            keyOf={({ id }) => id}
            empty={
              <EmptyState title={query.hasNextPage ? 'No deliveries among the newest' : 'No deliveries'}>
                Events of the last 30 days are shown here.
              </EmptyState>
            }
          />
        )}
      </Fetched>
      <OlderButton query={query}>Show older deliveries</OlderButton>
    </div>
  );
}

function Attempts({ attempts, created_at, next_attempt_at }: Delivery) {
  return (
    <>
      {attempts.length === 0 && <Moment at={created_at} />}
      {attempts.map(({ at, status, error, ms }) => (
        <div key={at}>
          <Moment at={at} />: {status ?? error ?? 'no response'}, {ms} ms
        </div>
      ))}
      {next_attempt_at !== undefined && (
        <div className={forms.quiet}>
          next: <Moment at={next_attempt_at} />
        </div>
      )}
    </>
  );
}
