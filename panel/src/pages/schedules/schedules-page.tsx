import { Button, Switch } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import CalendarClock from 'lucide-react/icons/calendar-clock';
import Plus from 'lucide-react/icons/plus';
import { Link } from 'wouter';
import { api, take } from '../../api/client.ts';
import { useRight } from '../../api/use-right.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Moment } from '../../parts/time.tsx';
import forms from '../../parts/forms.module.css';
import { describeStep } from '../../steps/steps.ts';
import { someNames } from '../../parts/phone-count.ts';
import { daysText, type Schedule, schedulesQuery } from './schedules-query.ts';
import { TextLink } from '../../parts/text-link.tsx';

/** The weekly schedules: steps, next run, and the result of the last one. */
export default function SchedulesPage() {
  const client = useQueryClient();
  const query = useQuery(schedulesQuery);
  const toggle = useMutation({
    mutationFn: ({ id, enabled }: Schedule) =>
      take(api.PATCH('/v1/schedules/{id}', { params: { path: { id } }, body: { enabled: !enabled } })),
    onSettled: () => client.invalidateQueries({ queryKey: ['schedules'] }),
  });
  const isSwitching = ({ id }: Schedule): boolean => toggle.isPending && toggle.variables.id === id;
  const mayChange = useRight('phones');
  const create = mayChange && (
    <Button component={Link} href="/schedules/new" leftSection={<Plus size={16} />}>
      Create a schedule
    </Button>
  );
  const columns: readonly Column<Schedule>[] = [
    { label: 'When', cell: whenOf, wraps: true },
    { label: 'Phones', cell: ({ devices }) => someNames(devices), wraps: true },
    {
      label: 'Steps',
      cell: ({ steps, steps_fault }) => steps_fault ?? steps.map(describeStep).join(', '),
      wraps: true,
    },
    {
      label: 'Next run',
      cell: ({ next_run_at }) => (next_run_at === undefined ? 'Turned off' : <Moment at={next_run_at} />),
    },
    { label: 'Last run', cell: lastRunOf, wraps: true },
    ...(mayChange
      ? [
          {
            label: '',
            cell: (schedule: Schedule) => (
              <>
                <Switch
                  checked={isSwitching(schedule) ? !schedule.enabled : schedule.enabled}
                  onChange={() => toggle.mutate(schedule)}
                  disabled={toggle.isPending}
                  aria-label={`Run the schedule of ${whenOf(schedule)}`}
                />
                <Button
                  component={Link}
                  href={`/schedules/${schedule.id}`}
                  size="compact-sm"
                  variant="default"
                  aria-label={`Edit: ${whenOf(schedule)}`}
                >
                  Edit
                </Button>
              </>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <PageHeader
        title="Schedules"
        description="Steps that run every week, at a local time."
        actions={query.data?.length !== 0 && create}
      />
      <div className={forms.fields}>
        <ErrorAlert error={toggle.error} />
        <Fetched query={query} what="schedules">
          {(schedules) => (
            <DataTable
              caption="Schedules"
              columns={columns}
              rows={schedules}
              keyOf={({ id }) => id}
              empty={
                <EmptyState title="No schedules yet" icon={CalendarClock} action={create}>
                  Start phones in the morning, stop them in the evening, open an app every Monday.
                </EmptyState>
              }
            />
          )}
        </Fetched>
      </div>
    </>
  );
}

function whenOf({ days, time, timezone }: Schedule): string {
  return `${daysText(days)} at ${time}, ${timezone}`;
}

function lastRunOf({ last_run }: Schedule) {
  if (last_run === undefined) return 'Has not run yet';
  const { at, state, group_id, reason } = last_run;
  const badge = <StatusBadge state={state} {...(state === 'running' && { tone: 'work' as const })} />;
  return (
    <>
      {group_id === undefined ? badge : <TextLink href={`/groups/${group_id}`}>{badge}</TextLink>} <Moment at={at} />
      {reason !== undefined && <div className={forms.quiet}>{reason}</div>}
    </>
  );
}
