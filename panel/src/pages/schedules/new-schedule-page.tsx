import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api, take } from '../../api/client.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { newDraft, stepsOf } from '../../steps/steps.ts';
import { type ScheduleDraft, ScheduleForm } from './schedule-form.tsx';

/** Creates a schedule; the form starts with every working day in the person's own time zone. */
export default function NewSchedulePage() {
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: async ({ drafts, ...draft }: ScheduleDraft) =>
      take(api.POST('/v1/schedules', { body: { ...draft, steps: stepsOf(drafts) } })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['schedules'] });
      navigate('/schedules');
    },
  });
  const first: ScheduleDraft = {
    devices: [],
    days: ['mon', 'tue', 'wed', 'thu', 'fri'],
    time: '08:00',
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    drafts: [newDraft('start')],
    concurrency: 10,
    on_error: 'stop',
  };
  return (
    <>
      <PageHeader title="Create a schedule" back={{ href: '/schedules', label: 'Schedules' }} />
      <ScheduleForm
        first={first}
        onSubmit={(draft) => create.mutate(draft)}
        submitLabel="Create schedule"
        isPending={create.isPending}
        error={create.error}
      />
    </>
  );
}
