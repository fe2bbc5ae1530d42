import { Select } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, type Device, take } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { duration } from '../../parts/time.tsx';

/** The times on offer, s; others can be set by the API. */
const OFFERED_S = [900, 3_600, 14_400, 86_400];

/** Sets after how long without use the phone is stopped, so that no forgotten phone runs on. */
export function IdleStopCard({ device: { name, idle_stop_s: idleStopS = 0 } }: { device: Device }) {
  const client = useQueryClient();
  const update = useMutation({
    mutationFn: (chosen: number) =>
      take(api.PATCH('/v1/devices/{name}', { params: { path: { name } }, body: { idle_stop_s: chosen } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['devices'] }),
  });
  const times = [...new Set([...OFFERED_S, ...(idleStopS === 0 ? [] : [idleStopS])])].sort((a, b) => a - b);
  return (
    <Card
      title="Stop when idle"
      description="A phone that nobody watches, and that no program or adb uses, stops by itself. It keeps everything."
    >
      <Select
        aria-label="Stop when idle"
        data={[{ value: '0', label: 'Never' }, ...times.map((s) => ({ value: `${s}`, label: duration(s) }))]}
        value={`${update.isPending ? update.variables : idleStopS}`}
        onChange={(value) => value !== null && update.mutate(Number(value))}
        disabled={update.isPending}
        allowDeselect={false}
      />
      <ErrorAlert error={update.error} />
    </Card>
  );
}
