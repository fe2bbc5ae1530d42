import { Button, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, take } from '../../api/client.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { makePasskey } from '../../api/passkeys.ts';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Form } from '../../parts/form.tsx';
import { CONFIRM_FACTOR } from './factors-query.ts';

interface Props {
  /** Is called with the recovery codes that came with the first second factor. */
  onAdded: (recoveryCodes: readonly string[]) => void;
}

/** Adds a passkey, which the browser or the device makes. */
export function AddPasskey({ onAdded }: Props) {
  const [name, setName] = useState('This device');
  const add = useMutation({
    mutationKey: CONFIRM_FACTOR,
    mutationFn: async () => {
      const body = { kind: 'passkey' as const, name: name.trim() };
      const { id, passkey_options: options = '' } = await take(api.POST('/v1/account/second-factors', { body }));
      const passkey = await makePasskey(options);
      return take(api.POST('/v1/account/second-factors/{id}/confirm', { params: { path: { id } }, body: { passkey } }));
    },
    onSuccess: ({ recovery_codes: codes }) => onAdded(codes),
    gcTime: 0,
  });
  const { at, rest } = fieldErrors(add.error, ['name']);
  return (
    <Form onSubmit={() => add.mutate()} error={add.error}>
      <Stack gap="md">
        <TextInput
          label="Name"
          description="To tell it from others. Your browser asks for the rest."
          maxLength={100}
          required
          data-autofocus
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          error={at.name}
        />
        <ErrorAlert error={rest} next={null} />
        <Button type="submit" loading={add.isPending}>
          Make the passkey
        </Button>
      </Stack>
    </Form>
  );
}
