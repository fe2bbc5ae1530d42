import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import Camera from 'lucide-react/icons/camera';
import { useState } from 'react';
import { allOf } from '../../../api/all-of.ts';
import { api, type Device, type Schemas, take } from '../../../api/client.ts';
import { fieldErrors } from '../../../api/field-errors.ts';
import { takeSnapshot } from '../../../api/phone-requests.ts';
import { useJobs } from '../../../api/jobs.tsx';
import { useRight } from '../../../api/use-right.ts';
import { Changing } from '../../../leases/changing.tsx';
import { holdOf } from '../../../parts/hold.ts';
import { Card } from '../../../parts/card.tsx';
import { ConfirmByName } from '../../../parts/confirm-by-name.tsx';
import { DataTable } from '../../../parts/data-table.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { ErrorAlert } from '../../../parts/error-alert.tsx';
import { Fetched } from '../../../parts/fetched.tsx';
import { Form } from '../../../parts/form.tsx';
import { bytes } from '../../../parts/bytes.ts';
import forms from '../../../parts/forms.module.css';
import { StatusBadge } from '../../../parts/status-badge.tsx';
import { Moment } from '../../../parts/time.tsx';
import { CloneDialog } from './clone-dialog.tsx';
import { TemplateDialog } from './template-dialog.tsx';

type Snapshot = Schemas['Snapshot'];

/** How often snapshots are polled while one is being saved, ms. */
const SAVING_POLL_MS = 1_000;

/** Saves snapshots of a phone, restores them, and clones new phones from them. */
export default function SnapshotsTab({ device }: { device: Device }) {
  const { name } = device;
  const query = useQuery({
    queryKey: ['devices', name, 'snapshots'],
    queryFn: () => allOf('/v1/devices/{name}/snapshots', 'snapshots', { name }),
    refetchInterval: ({ state }) =>
      state.data?.some((one) => one.state === 'saving') === true ? SAVING_POLL_MS : false,
  });
  return (
    <>
      <Changing device={device}>
        <TakeSnapshot device={device} />
      </Changing>
      <Card title="Snapshots">
        <Fetched query={query} what="the snapshots">
          {(snapshots) => <Snapshots device={device} snapshots={snapshots} />}
        </Fetched>
      </Card>
    </>
  );
}

function TakeSnapshot({ device: { name, job } }: { device: Device }) {
  const client = useQueryClient();
  const { follow } = useJobs();
  const [label, setLabel] = useState('');
  const save = useMutation({
    mutationFn: () => take(takeSnapshot(api, name, label.trim())),
    onSuccess: ({ job: started }) => {
      setLabel('');
      void client.invalidateQueries({ queryKey: ['devices', name, 'snapshots'] });
      void follow(started, `Saving a snapshot of ${name}`);
    },
  });
  const { at, rest } = fieldErrors(save.error, ['label']);
  return (
    <Card title="Take a snapshot" description="Of the whole phone, running or not.">
      <Form onSubmit={() => save.mutate()} error={save.error} className={forms.fields}>
        <div className={forms.row}>
          <TextInput
            label="Label"
            placeholder="Signed in, before the update"
            value={label}
            onChange={(event) => setLabel(event.currentTarget.value)}
            error={at.label}
            maxLength={100}
          />
          <Button type="submit" loading={save.isPending} disabled={job !== undefined}>
            Take snapshot
          </Button>
        </div>
        <ErrorAlert error={rest} />
      </Form>
    </Card>
  );
}

function Snapshots({ device, snapshots }: { device: Device; snapshots: readonly Snapshot[] }) {
  const { name, job } = device;
  const hold = holdOf(device);
  const mayChange = useRight('phones');
  const client = useQueryClient();
  const { follow } = useJobs();
  const [restoring, setRestoring] = useState<Snapshot>();
  const [cloning, setCloning] = useState<Snapshot>();
  const [templating, setTemplating] = useState<Snapshot>();
  const [deleting, setDeleting] = useState<Snapshot>();
  const restore = useMutation({
    mutationFn: ({ id }: Snapshot) =>
      take(api.POST('/v1/devices/{name}/snapshots/{id}/restore', { params: { path: { name, id } } })),
    onSuccess: ({ job: started }) => {
      setRestoring(undefined);
      void follow(started, `Restoring ${name}`);
    },
  });
  const remove = useMutation({
    mutationFn: ({ id }: Snapshot) =>
      take(api.DELETE('/v1/devices/{name}/snapshots/{id}', { params: { path: { name, id } } })),
    onSuccess: () => {
      setDeleting(undefined);
      return client.invalidateQueries({ queryKey: ['devices', name, 'snapshots'] });
    },
  });
  return (
    <>
      <DataTable
        caption={`Snapshots of ${name}`}
        rows={snapshots}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No snapshots yet" icon={Camera}>
            A snapshot keeps the files, apps and settings of the phone as they are now.
          </EmptyState>
        }
        columns={[
          { label: 'Label', cell: (snapshot) => titleOf(snapshot), wraps: true },
          { label: 'State', cell: ({ state }) => <StatusBadge state={state} /> },
          { label: 'Size', cell: ({ state, size }) => (state === 'ready' ? bytes(size) : '') },
          { label: 'Taken', cell: ({ created_at }) => <Moment at={created_at} /> },
          ...(mayChange
            ? [
                {
                  label: '',
                  cell: (snapshot: Snapshot) => {
                    const isReady = snapshot.state === 'ready';
                    const title = titleOf(snapshot);
                    return (
                      <>
                        <Button
                          size="compact-xs"
                          variant="default"
                          disabled={!isReady || job !== undefined || hold !== undefined}
                          title={hold}
                          onClick={() => setRestoring(snapshot)}
                          aria-label={`Restore ${title}`}
                        >
                          Restore
                        </Button>
                        <Button
                          size="compact-xs"
                          variant="default"
                          disabled={!isReady}
                          onClick={() => setCloning(snapshot)}
                          aria-label={`Clone ${title}`}
                        >
                          Clone
                        </Button>
                        <Button
                          size="compact-xs"
                          variant="default"
                          disabled={!isReady || job !== undefined}
                          onClick={() => setTemplating(snapshot)}
                          aria-label={`Make a template of ${title}`}
                        >
                          Make a template
                        </Button>
                        <Button
                          size="compact-xs"
                          variant="default"
                          disabled={snapshot.state === 'saving' || hold !== undefined}
                          title={hold}
                          onClick={() => setDeleting(snapshot)}
                          aria-label={`Delete ${title}`}
                        >
                          Delete
                        </Button>
                      </>
                    );
                  },
                },
              ]
            : []),
        ]}
      />
      <ConfirmByName
        opened={restoring !== undefined}
        onClose={() => setRestoring(undefined)}
        title={`Restore ${name}?`}
        confirmLabel="Restore phone"
        onConfirm={() => restoring !== undefined && restore.mutate(restoring)}
        isPending={restore.isPending}
        error={restore.error}
      >
        {name} will be as it was when the snapshot was taken. What was changed on it since then will be gone.
      </ConfirmByName>
      <ConfirmByName
        opened={deleting !== undefined}
        onClose={() => setDeleting(undefined)}
        title={`Delete ${deleting === undefined ? 'the snapshot' : titleOf(deleting)}?`}
        confirmLabel="Delete snapshot"
        onConfirm={() => deleting !== undefined && remove.mutate(deleting)}
        isPending={remove.isPending}
        error={remove.error}
      >
        The snapshot will be gone for good. Phones that were cloned from it stay.
      </ConfirmByName>
      <TemplateDialog snapshot={templating} onClose={() => setTemplating(undefined)} />
      <CloneDialog device={device} snapshot={cloning} onClose={() => setCloning(undefined)} />
    </>
  );
}

function titleOf({ label, id }: Snapshot): string {
  return label === '' ? id : label;
}
