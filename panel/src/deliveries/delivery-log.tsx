import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Fetched } from '../parts/fetched.tsx';
import { OlderButton } from '../parts/older-button.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { TextLink } from '../parts/text-link.tsx';
import { Moment, RecentMoment } from '../parts/time.tsx';
import forms from '../parts/forms.module.css';
import { outcomeWords } from './outcome-words.ts';
import { deliveriesQuery, type Delivery, type DeliveryFilter, useRedelivery } from './deliveries-query.ts';

/** The deliveries to webhooks, each with its outcome, and a button to send it again. */
export function DeliveryLog(filter: DeliveryFilter) {
  const query = useInfiniteQuery(deliveriesQuery(filter));
  const again = useRedelivery();
  const columns: readonly Column<Delivery>[] = [
    {
      label: 'Event',
      cell: ({ id, event, device }) => (
        <TextLink href={`/settings/webhooks/${id}`}>{device === '' ? event : `${event}, ${device}`}</TextLink>
      ),
      wraps: true,
    },
    { label: 'URL', cell: ({ url }) => url, wraps: true },
    { label: 'State', cell: ({ state }) => <StatusBadge state={state} /> },
    { label: 'Response', cell: lastOutcome, wraps: true },
    { label: 'Attempts', cell: ({ attempts }) => attempts.length, align: 'right' },
    { label: 'Time', cell: ({ created_at }) => <Moment at={created_at} /> },
    {
      label: '',
      cell: ({ id, event, state }) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Send again: ${event}`}
          disabled={state === 'pending'}
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
            rows={pages.flatMap(({ deliveries }) => deliveries)}
            keyOf={({ id }) => id}
            empty={<EmptyState title="No deliveries">Events of the last 30 days are shown here.</EmptyState>}
          />
        )}
      </Fetched>
      <OlderButton query={query}>Show older deliveries</OlderButton>
    </div>
  );
}

/** Returns how the latest attempt ended. For a delivery on its way, it adds when the next attempt comes. */
function lastOutcome({ attempts, next_attempt_at }: Delivery): ReactNode {
  const words = outcomeWords(attempts.at(-1));
  if (next_attempt_at === undefined) return words;
  const next = (
    <>
      next attempt at <RecentMoment at={next_attempt_at} />
    </>
  );
  return words === '' ? (
    next
  ) : (
    <>
      {words}; {next}
    </>
  );
}
