import { Button, Progress } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { api, type Schemas, take } from '../../api/client.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import { ForRight } from '../../parts/for-right.tsx';
import { Labels } from '../../parts/labels.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx';
import { Moment } from '../../parts/time.tsx';
import forms from '../../parts/forms.module.css';
import { TextLink } from '../../parts/text-link.tsx';
import { shownError } from '../../api/error-words.ts';
import { groupTitle } from './group-title.ts';
import { phoneCount } from '../../parts/phone-count.ts';

type GroupDevice = Schemas['GroupDevice'];

const TONES: Record<GroupDevice['state'], Tone> = {
  waiting: 'idle',
  running: 'work',
  done: 'good',
  failed: 'bad',
  skipped: 'idle',
};

const COLUMNS: readonly Column<GroupDevice>[] = [
  { label: 'Phone', cell: ({ device }) => <TextLink href={`/phones/${device}`}>{device}</TextLink>, wraps: true },
  { label: 'State', cell: ({ state }) => <StatusBadge state={state} tone={TONES[state]} /> },
  {
    label: 'Step',
    cell: ({ state, step }) => (state === 'running' || state === 'failed' ? step + 1 : ''),
    align: 'right',
  },
];

const ERROR: Column<GroupDevice> = {
  label: 'Error',
  cell: ({ error }) => (error === undefined ? '' : shownError(error.error, error.message).text),
  wraps: true,
};

/** The progress of a group, phone by phone. */
export default function GroupPage() {
  const { id } = useParams<{ id: string }>();
  const query = useQuery({
    queryKey: ['groups', id],
    queryFn: async () => (await take(api.GET('/v1/groups/{id}', { params: { path: { id } } }))).group,
    refetchInterval: ({ state }) => (state.data === undefined || state.data.state === 'running' ? 700 : false),
  });
  const group = query.data;
  const finished = group?.devices.filter(({ state }) => state !== 'waiting' && state !== 'running').length ?? 0;
  const failed = group?.devices.filter(({ state }) => state === 'failed').length ?? 0;
  return (
    <>
      <PageHeader
        title={group === undefined ? 'Group' : groupTitle(group.name, group.devices.length)}
        actions={
          group?.state === 'running' && (
            <ForRight right="phones">
              <CancelButton id={id} />
            </ForRight>
          )
        }
        badge={
          group && <StatusBadge state={group.state} {...(group.state === 'running' && { tone: 'work' as const })} />
        }
        description={
          group && (
            <>
              Started <Moment at={group.created_at} />
            </>
          )
        }
        back={{ href: '/groups', label: 'Groups' }}
      />
      <div className={forms.fields}>
        <Fetched query={query} what="the group">
          {({ devices, name, labels }) => (
            <>
              <Labels of={groupTitle(name, devices.length)} labels={labels} />
              <div>
                <p role="status">
                  {finished} of {phoneCount(devices.length)} finished{failed > 0 && `, ${failed} failed`}
                </p>
                <Progress.Root aria-label="Phones that finished">
                  <Progress.Section
                    value={((finished - failed) / devices.length) * 100}
                    color="var(--panel-good)"
                    aria-label="Succeeded"
                  />
                  <Progress.Section
                    value={(failed / devices.length) * 100}
                    color="var(--panel-bad)"
                    aria-label="Failed"
                  />
                </Progress.Root>
              </div>
              <DataTable
                caption="Phones of the group"
                columns={devices.some(({ error }) => error !== undefined) ? [...COLUMNS, ERROR] : COLUMNS}
                rows={devices}
                keyOf={({ device }) => device}
              />
            </>
          )}
        </Fetched>
      </div>
    </>
  );
}

/** Cancels the group: steps under way are finished, and no further step begins. The phones stay as they are then. */
function CancelButton({ id }: { id: string }) {
  const client = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => take(api.POST('/v1/groups/{id}/cancel', { params: { path: { id } } })),
    onSettled: () => client.invalidateQueries({ queryKey: ['groups'] }),
  });
  return (
    <>
      <ErrorAlert error={cancel.error} />
      <Button variant="default" loading={cancel.isPending} disabled={cancel.isSuccess} onClick={() => cancel.mutate()}>
        {cancel.isSuccess ? 'Stopping…' : 'Stop the group'}
      </Button>
    </>
  );
}
