import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schemas, take } from '../../../api/client.ts';
import { fieldErrors } from '../../../api/field-errors.ts';
import { useJobs } from '../../../api/jobs.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { ErrorAlert } from '../../../parts/error-alert.tsx';
import { Form } from '../../../parts/form.tsx';

type Snapshot = Schemas['Snapshot'];

interface Props {
  /** The snapshot. Undefined: the dialog is closed. */
  snapshot: Snapshot | undefined;
  onClose: () => void;
}

/** Makes a template of a snapshot. */
export function TemplateDialog({ snapshot, onClose }: Props) {
  return (
    <Dialog opened={snapshot !== undefined} onClose={onClose} title="Make a template">
      {snapshot !== undefined && <TemplateForm snapshot={snapshot} onClose={onClose} />}
    </Dialog>
  );
}

function TemplateForm({ snapshot, onClose }: { snapshot: Snapshot; onClose: () => void }) {
  const client = useQueryClient();
  const { follow } = useJobs();
  const [name, setName] = useState('');
  const make = useMutation({
    mutationFn: () => take(api.POST('/v1/templates', { body: { snapshot: snapshot.id, name } })),
    onSuccess: ({ job }) => {
      void client.invalidateQueries({ queryKey: ['templates'] });
      void follow(job, `Making the template ${name}`);
      onClose();
    },
  });
  const { at, rest } = fieldErrors(make.error, ['name']);
  return (
    <Form onSubmit={() => make.mutate()} error={make.error}>
      <Stack gap="md">
        <TextInput
          label="Name"
          description="Small letters, digits and -, a letter first."
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={at.name}
          maxLength={40}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          data-autofocus
        />
        <Text size="sm" c="dimmed">
          New phones and pools can be made from it. It stays when this phone and its snapshots are deleted.
        </Text>
        <ErrorAlert error={rest} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={make.isPending}>
            Make template
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
