import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, type Device, take } from '../../api/client.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { Card } from '../../parts/card.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { LabelField } from '../../parts/label-field.tsx';

/** The labels of a phone, to find it by. */
export function LabelsCard({ device: { name, labels } }: { device: Device }) {
  const client = useQueryClient();
  const update = useMutation({
    mutationFn: (changed: Record<string, string>) =>
      take(api.PATCH('/v1/devices/{name}', { params: { path: { name } }, body: { labels: changed } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['devices'] }),
  });
  const change = (key: string, value: string): Promise<boolean> =>
    update.mutateAsync({ [key]: value }).then(
      () => true,
      // The mutation has the error, which is shown below.
      () => false,
    );
  const { at, rest } = fieldErrors(update.error, ['labels']);
  return (
    <Card title="Labels" description="Find and choose phones by them, here and in your programs.">
      <LabelField labels={labels} onChange={change} isPending={update.isPending} error={at.labels} />
      <ErrorAlert error={rest} />
    </Card>
  );
}
