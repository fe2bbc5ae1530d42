import { Button, Select, Switch } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Device, take } from '../../../api/client.ts';
import { useRight } from '../../../api/use-right.ts';
import { Changing } from '../../../leases/changing.tsx';
import { holdOf } from '../../../parts/hold.ts';
import { Card } from '../../../parts/card.tsx';
import { ConfirmByName } from '../../../parts/confirm-by-name.tsx';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { ErrorAlert } from '../../../parts/error-alert.tsx';
import { Fetched } from '../../../parts/fetched.tsx';
import { OlderButton } from '../../../parts/older-button.tsx';
import { Moment } from '../../../parts/time.tsx';
import { SaveReplayButton } from './save-replay-button.tsx';
import { copyOf, StepViewer } from './step-viewer.tsx';
import { sentenceOf } from './story.ts';
import { type Entry, type Kind, timelineQuery } from './timeline-query.ts';
import classes from './timeline.module.css';

const KINDS: readonly { value: Kind; label: string }[] = [
  { value: 'act', label: 'Steps' },
  { value: 'action', label: 'Actions' },
  { value: 'input', label: 'Input' },
  { value: 'install', label: 'Apps' },
  { value: 'exit', label: 'Network' },
  { value: 'snapshot', label: 'Snapshots' },
  { value: 'adb_session', label: 'ADB sessions' },
  { value: 'shell', label: 'Shell commands' },
  { value: 'conditions', label: 'Conditions' },
  { value: 'file', label: 'Files' },
  { value: 'recording', label: 'Recordings' },
  { value: 'handover', label: 'Hand-overs' },
  { value: 'crash', label: 'Crashes' },
  { value: 'missed', label: 'Not kept' },
];

/** Shows what was done with a phone, as a story with pictures. */
export default function TimelineTab({ device }: { device: Device }) {
  const { name } = device;
  const [kind, setKind] = useState<Kind>();
  const [chosen, setChosen] = useState<string>();
  const query = useInfiniteQuery(timelineQuery(name, kind));
  return (
    <>
      <Changing device={device}>
        <TimelineSwitch device={device} />
      </Changing>
      <Fetched query={query} what="the timeline">
        {({ pages }) => {
          const entries = pages.flatMap((page) => page.entries).reverse();
          const place = entries.findIndex(({ id }) => id === chosen);
          // The newest entry is shown when none is chosen.
          const at = place < 0 ? entries.length - 1 : place;
          return (
            <>
              {entries.length > 0 && (
                <StepViewer entries={entries} at={at} onMove={(to) => setChosen(entries[to]?.id)} />
              )}
              <Card title="What was done" actions={<ListActions device={device} entries={entries} />}>
                <Select
                  label="Show"
                  data={KINDS}
                  value={kind ?? null}
                  placeholder="Everything"
                  clearable
                  onChange={(value) => setKind(value ?? undefined)}
                  mb="sm"
                />
                <OlderButton query={query}>Show older steps</OlderButton>
                {entries.length === 0 ? (
                  <EmptyState title="Nothing was kept yet">
                    While the timeline is on, everything that is done with {name} shows here.
                  </EmptyState>
                ) : (
                  <ol className={classes.story}>
                    {entries.map((entry, index) => (
                      <li key={entry.id}>
                        <Step entry={entry} isCurrent={index === at} onChoose={() => setChosen(entry.id)} />
                      </li>
                    ))}
                  </ol>
                )}
              </Card>
            </>
          );
        }}
      </Fetched>
    </>
  );
}

function Step({ entry, isCurrent, onChoose }: { entry: Entry; isCurrent: boolean; onChoose: () => void }) {
  const { at, key, outcome, duration_ms: durationMs, app } = entry;
  const isBad = outcome !== 'done' && entry.kind !== 'adb_session';
  return (
    <button type="button" className={classes.step} aria-current={isCurrent ? 'step' : undefined} onClick={onChoose}>
      <span>{sentenceOf(entry)}</span>
      <span className={classes.facts}>
        <Moment at={at} /> by {key}
        {durationMs > 0 && `, ${(durationMs / 1000).toFixed(1)} s`}
        {app !== '' && `, ${app}`}
        {isBad && <span className={classes.bad}>, {outcome.replaceAll('_', ' ')}</span>}
      </span>
    </button>
  );
}

function ListActions({ device, entries }: { device: Device; entries: readonly Entry[] }) {
  const { name } = device;
  const hold = holdOf(device);
  const mayChange = useRight('phones');
  const client = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const remove = useMutation({
    mutationFn: () => take(api.DELETE('/v1/devices/{name}/timeline', { params: { path: { name } } })),
    onSuccess: () => {
      setDeleting(false);
      return client.invalidateQueries({ queryKey: ['devices', name, 'timeline'] });
    },
  });
  const copied = copyOf(entries);
  if (entries.length === 0) return null;
  return (
    <div className={classes.actions}>
      {copied !== undefined && <CopyButton text={copied} what="all of these as act steps" />}
      {copied !== undefined && <SaveReplayButton device={device} entries={entries} />}
      <Button
        component="a"
        href={`/v1/devices/${name}/timeline/export?from=${encodeURIComponent(entries[0]?.at ?? '')}`}
        download={`${name}-timeline.html`}
        variant="default"
        size="compact-sm"
      >
        Export
      </Button>
      {mayChange && (
        <Button
          variant="default"
          size="compact-sm"
          disabled={hold !== undefined}
          title={hold}
          onClick={() => setDeleting(true)}
        >
          Delete
        </Button>
      )}
      <ConfirmByName
        opened={isDeleting}
        onClose={() => setDeleting(false)}
        title={`Delete the timeline of ${name}?`}
        confirmLabel="Delete timeline"
        onConfirm={() => remove.mutate()}
        isPending={remove.isPending}
        error={remove.error}
      >
        All of its steps and pictures will be gone for good.
      </ConfirmByName>
    </div>
  );
}

function TimelineSwitch({ device: { name, timeline } }: { device: Device }) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (isOn: boolean) =>
      take(api.PATCH('/v1/devices/{name}', { params: { path: { name } }, body: { timeline: isOn } })),
    onSuccess: ({ device }) => client.setQueryData(['devices', name], device),
  });
  return (
    <Card title="Timeline">
      <Switch
        label="Keep what is done with this phone"
        description="Each step with its time, its key and small pictures, for 7 days unless the operator chose otherwise. Everyone who may use the phone sees it."
        // The switch has the requested state until the service has responded.
        checked={change.isPending ? change.variables : timeline}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
      <ErrorAlert error={change.error} />
    </Card>
  );
}
