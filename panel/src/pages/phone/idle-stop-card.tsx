import { Select } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, type Device, take } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { duration } from '../../parts/time.tsx';

/** The times on offer, s; others can be set by the API. */
const OFFERED_S = [900, 3_600, 14_400, 86_400];

/** After how long without use the phone is stopped, so that nobody pays for a phone that was forgotten. */
export function IdleStopCard({ device: { name, idle_stop_s: idleStopS = 0 } }: { device: Device }) {
  const client = useQueryClient();
  const update = useMutation({
    mutationFn: (chosen: number) =>
      take(api.PATCH('/v1/devices/{name}', { params: { path: { name } }, body: { idle_stop_s: chosen } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['devices'] }),
  });
  const times = [...new Set([...OFFERED_S, ...(idleStopS === 0 ? [] : [idleStopS])])].sort((a, b) => a - b);
  return (
    <Card title="Stop when it is not used">
      <Select
        label="Stop it"
        description="Calls on the phone, viewers of its screen and ADB clients are uses."
        data={[{ value: '0', label: 'never' }, ...times.map((s) => ({ value: `${s}`, label: `after ${duration(s)}` }))]}
        value={`${update.isPending ? update.variables : idleStopS}`}
        onChange={(value) => value !== null && update.mutate(Number(value))}
        disabled={update.isPending}
        allowDeselect={false}
      />
      <ErrorAlert error={update.error} />
    </Card>
  );
}
