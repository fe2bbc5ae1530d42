import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useParams } from 'wouter';
import { api, take } from '../../api/client.ts';
import { ConfirmByName } from '../../parts/confirm-by-name.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { draftOf, stepsOf } from '../../steps/steps.ts';
import { type ScheduleDraft, ScheduleForm } from './schedule-form.tsx';
import { daysText, type Schedule } from './schedules-query.ts';

export default function EditSchedulePage() {
  const { id } = useParams<{ id: string }>();
  const query = useQuery({
    queryKey: ['schedules', id],
    queryFn: async () => (await take(api.GET('/v1/schedules/{id}', { params: { path: { id } } }))).schedule,
    // The typed values stay while the schedule runs.
    staleTime: Infinity,
    gcTime: 0,
  });
  return (
    <>
      <PageHeader title="Edit the schedule" back={{ href: '/schedules', label: 'Schedules' }} />
      <Fetched query={query} what="the schedule">
        {(schedule) => <EditSchedule schedule={schedule} />}
      </Fetched>
    </>
  );
}

function EditSchedule({ schedule }: { schedule: Schedule }) {
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const [isAsking, asking] = useDisclosure();
  const at = { params: { path: { id: schedule.id } } };
  const leave = async (): Promise<void> => {
    await client.invalidateQueries({ queryKey: ['schedules'], exact: true });
    navigate('/schedules');
  };
  const { devices, days, time, timezone, concurrency, on_error } = schedule;
  const first = { devices, days, time, timezone, concurrency, on_error, drafts: schedule.steps.map(draftOf) };
  const save = useMutation({
    mutationFn: async ({ drafts, ...draft }: ScheduleDraft) => {
      const steps = stepsOf(drafts);
      // The steps are sent only when they were changed, as secret texts in them are shown as ***.
      const isChanged = JSON.stringify(steps) !== JSON.stringify(schedule.steps);
      return take(api.PATCH('/v1/schedules/{id}', { ...at, body: { ...draft, ...(isChanged && { steps }) } }));
    },
    onSuccess: leave,
  });
  const remove = useMutation({ mutationFn: () => take(api.DELETE('/v1/schedules/{id}', at)), onSuccess: leave });
  return (
    <>
      <ScheduleForm
        first={first}
        onSubmit={(draft) => save.mutate(draft)}
        submitLabel="Save"
        isPending={save.isPending}
        error={save.error}
      >
        <Button variant="light" color="red" onClick={asking.open}>
          Delete…
        </Button>
      </ScheduleForm>
      <ConfirmByName
        opened={isAsking}
        onClose={asking.close}
        title="Delete the schedule?"
        confirmLabel="Delete schedule"
        onConfirm={() => remove.mutate()}
        isPending={remove.isPending}
        error={remove.error}
      >
        It runs {daysText(days)} at {time}, {timezone}. A run in progress continues to its end.
      </ConfirmByName>
    </>
  );
}
