import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import Video from 'lucide-react/icons/video';
import { useState } from 'react';
import { api, type Device, take } from '../../../api/client.ts';
import { useRight } from '../../../api/use-right.ts';
import { bytes } from '../../../parts/bytes.ts';
import { Changing } from '../../../leases/changing.tsx';
import { holdOf } from '../../../parts/hold.ts';
import { Card } from '../../../parts/card.tsx';
import { ConfirmByName } from '../../../parts/confirm-by-name.tsx';
import { DataTable } from '../../../parts/data-table.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { ErrorAlert } from '../../../parts/error-alert.tsx';
import { Fetched } from '../../../parts/fetched.tsx';
import { StatusBadge } from '../../../parts/status-badge.tsx';
import { duration, Moment } from '../../../parts/time.tsx';
import { Player } from './player.tsx';
import { type Recording, recordingsQuery } from './recordings-query.ts';

/** Records the screen of a phone, and plays its recordings. */
export default function RecordingsTab({ device }: { device: Device }) {
  const query = useQuery(recordingsQuery(device.name));
  return (
    <>
      <Changing device={device}>
        <Record device={device} underWay={query.data?.find(({ state }) => state === 'recording')} />
      </Changing>
      <Card title="Recordings">
        <Fetched query={query} what="the recordings">
          {(recordings) => <Recordings device={device} recordings={recordings} />}
        </Fetched>
      </Card>
    </>
  );
}

function Record({ device: { name, state }, underWay }: { device: Device; underWay: Recording | undefined }) {
  const client = useQueryClient();
  const onSuccess = () => client.invalidateQueries({ queryKey: ['recordings', name] });
  const start = useMutation({
    mutationFn: () => take(api.POST('/v1/devices/{name}/recordings', { params: { path: { name } }, body: {} })),
    onSuccess,
  });
  const stop = useMutation({
    mutationFn: (id: string) =>
      take(api.POST('/v1/devices/{name}/recordings/{id}/stop', { params: { path: { name, id } } })),
    onSuccess,
  });
  return (
    <Card
      title="Record the screen"
      description="For up to ten minutes. The video shows everything that the screen shows, also secrets."
    >
      {underWay === undefined ? (
        <Button onClick={() => start.mutate()} loading={start.isPending} disabled={state !== 'running'}>
          Start recording
        </Button>
      ) : (
        <Button color="red" onClick={() => stop.mutate(underWay.id)} loading={stop.isPending}>
          Stop recording
        </Button>
      )}
      <ErrorAlert error={start.error ?? stop.error} />
    </Card>
  );
}

function Recordings({ device, recordings }: { device: Device; recordings: readonly Recording[] }) {
  const { name } = device;
  const hold = holdOf(device);
  const mayChange = useRight('phones');
  const client = useQueryClient();
  const [playing, setPlaying] = useState<Recording>();
  const [deleting, setDeleting] = useState<Recording>();
  const remove = useMutation({
    mutationFn: ({ id }: Recording) =>
      take(api.DELETE('/v1/devices/{name}/recordings/{id}', { params: { path: { name, id } } })),
    onSuccess: () => {
      setDeleting(undefined);
      return client.invalidateQueries({ queryKey: ['recordings', name] });
    },
  });
  return (
    <>
      <DataTable
        caption={`Recordings of ${name}`}
        rows={recordings}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No recordings yet" icon={Video}>
            A recording is a video of the screen. It is kept for some days.
          </EmptyState>
        }
        columns={[
          { label: 'Started', cell: ({ started_at }) => <Moment at={started_at} /> },
          { label: 'State', cell: ({ state }) => <StatusBadge state={state} /> },
          { label: 'Length', cell: ({ duration_ms }) => duration(duration_ms / 1_000) },
          { label: 'Size', cell: ({ size }) => bytes(size) },
          {
            label: '',
            cell: (recording) => (
              <>
                <Button
                  size="compact-xs"
                  variant="default"
                  onClick={() => setPlaying(recording)}
                  aria-label={`Play ${recording.id}`}
                >
                  Play
                </Button>
                {mayChange && (
                  <Button
                    size="compact-xs"
                    variant="default"
                    disabled={hold !== undefined}
                    title={hold}
                    onClick={() => setDeleting(recording)}
                    aria-label={`Delete ${recording.id}`}
                  >
                    Delete
                  </Button>
                )}
              </>
            ),
          },
        ]}
      />
      <Player recording={playing} onClose={() => setPlaying(undefined)} />
      <ConfirmByName
        opened={deleting !== undefined}
        onClose={() => setDeleting(undefined)}
        title="Delete the recording?"
        confirmLabel="Delete recording"
        onConfirm={() => deleting !== undefined && remove.mutate(deleting)}
        isPending={remove.isPending}
        error={remove.error}
      >
        The video will be gone for good.
      </ConfirmByName>
    </>
  );
}
