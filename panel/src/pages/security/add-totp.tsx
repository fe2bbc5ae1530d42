import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schemas, take } from '../../api/client.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Form } from '../../parts/form.tsx';
import { LoadedCode } from '../../parts/loaded-code.tsx';
import { CONFIRM_FACTOR } from './factors-query.ts';

interface Props {
  /** Is called with the recovery codes that came with the first second factor. */
  onAdded: (recoveryCodes: readonly string[]) => void;
}

/** Adds an app that shows codes: the person names it, scans the picture, and types a code. */
export function AddTotp({ onAdded }: Props) {
  const [name, setName] = useState('My phone');
  const begin = useMutation({
    mutationFn: () => take(api.POST('/v1/account/second-factors', { body: { kind: 'totp', name: name.trim() } })),
    // It holds the secret, so it is removed with the dialog.
    gcTime: 0,
  });
  const { data } = begin;
  if (data?.totp !== undefined) return <Scan id={data.id} totp={data.totp} onAdded={onAdded} />;
  const { at, rest } = fieldErrors(begin.error, ['name']);
  return (
    <Form onSubmit={() => begin.mutate()} error={begin.error}>
      <Stack gap="md">
        <TextInput
          label="Name"
          description="To tell it from others."
          maxLength={100}
          required
          data-autofocus
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          error={at.name}
        />
        <ErrorAlert error={rest} />
        <Button type="submit" loading={begin.isPending}>
          Go on
        </Button>
      </Stack>
    </Form>
  );
}

function Scan({ id, totp: { secret, uri }, onAdded }: Props & { id: string; totp: Schemas['TotpSecret'] }) {
  const [code, setCode] = useState('');
  const confirm = useMutation({
    mutationKey: CONFIRM_FACTOR,
    mutationFn: () =>
      take(
        api.POST('/v1/account/second-factors/{id}/confirm', {
          params: { path: { id } },
          body: { code: code.replaceAll(/\s/g, '') },
        }),
      ),
    onSuccess: ({ recovery_codes: codes }) => onAdded(codes),
    onError: () => setCode(''),
    gcTime: 0,
  });
  const { at, rest } = fieldErrors(confirm.error, ['code']);
  return (
    <Form onSubmit={() => confirm.mutate()} error={confirm.error}>
      <Stack gap="md">
        <Text size="sm">
          Scan this with the app, or <a href={uri}>open it on this device</a>.
        </Text>
        <LoadedCode what="the picture" id="qr-code" load={() => import('./qr-code.tsx')} props={{ text: uri }} />
        <Text size="sm">If the app cannot scan, type this into it:</Text>
        <CommandLine text={secret} what="the secret" />
        <TextInput
          label="Code"
          description="The six digits that the app shows now."
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={10}
          required
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
          error={at.code}
          aria-invalid={confirm.isError}
        />
        <ErrorAlert error={rest} next={null} />
        <Button type="submit" loading={confirm.isPending}>
          Add
        </Button>
      </Stack>
    </Form>
  );
}
