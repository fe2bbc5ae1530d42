import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, type Device, type Schemas, take } from '../../../api/client.ts';
import { fieldErrors } from '../../../api/field-errors.ts';
import { useJobs } from '../../../api/jobs.tsx';
import { useIdempotencyKey } from '../../../api/use-idempotency-key.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { ErrorAlert } from '../../../parts/error-alert.tsx';
import { Form } from '../../../parts/form.tsx';
import { priceText, usePrices } from '../../../parts/prices.ts';

type Snapshot = Schemas['Snapshot'];

interface Props {
  device: Device;
  /** The snapshot. Undefined: the dialog is closed. */
  snapshot: Snapshot | undefined;
  onClose: () => void;
}

/** Creates a phone from a snapshot. */
export function CloneDialog({ device, snapshot, onClose }: Props) {
  return (
    <Dialog opened={snapshot !== undefined} onClose={onClose} title={`Clone ${device.name}`}>
      {snapshot !== undefined && <CloneForm device={device} snapshot={snapshot} onClose={onClose} />}
    </Dialog>
  );
}

function CloneForm({ device, snapshot, onClose }: { device: Device; snapshot: Snapshot; onClose: () => void }) {
  const [, navigate] = useLocation();
  const { follow } = useJobs();
  const [name, setName] = useState('');
  const { keyOf, onError } = useIdempotencyKey();
  const clone = useMutation({
    mutationFn: () => {
      const body = name === '' ? {} : { name };
      const params = { path: { device: device.name, id: snapshot.id }, header: { 'Idempotency-Key': keyOf(body) } };
      return take(api.POST('/v1/devices/{device}/snapshots/{id}/clone', { params, body }));
    },
    onSuccess: ({ job, device: made }) => {
      void follow(job, `Cloning ${device.name}`);
      onClose();
      navigate(`/phones/${made.name}`);
    },
    onError,
  });
  const price = priceText(usePrices(), device.plan);
  const { at, rest } = fieldErrors(clone.error, ['name']);
  return (
    <Form onSubmit={() => clone.mutate()} error={clone.error}>
      <Stack gap="md">
        <TextInput
          label="Name"
          description="Small letters, digits and -, a letter first. Leave it empty to get one."
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={at.name}
          maxLength={40}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
        />
        <Text size="sm" c="dimmed">
          The clone starts at once, with identifiers and an address of its own.
          {price !== undefined && ` It costs ${price}.`}
        </Text>
        <ErrorAlert error={rest} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={clone.isPending}>
            Clone
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
