import { Button, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import KeyRound from 'lucide-react/icons/key-round';
import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { askForPasskey, hasPasskeys } from '../api/passkeys.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Form } from '../parts/form.tsx';

export type Challenge = Schemas['SecondFactorChallenge'];

/** What a person proves the identity with: a code, or the result of a passkey. */
export type Proof = { code: string } | { passkey: string };

interface Props {
  /** What the service asks for. Absent: a code of any kind. */
  challenge?: Challenge | undefined;
  /** Sends the proof. It rejects with the service's error. */
  prove: (proof: Proof) => Promise<unknown>;
  submitLabel: string;
}

/** Takes a code of an app, a recovery code, or a passkey. */
export function ProofForm({ challenge, prove, submitLabel }: Props) {
  const [code, setCode] = useState('');
  const send = useMutation({ mutationFn: prove, onError: () => setCode(''), gcTime: 0 });
  const options = challenge?.passkey_options;
  const passkey = useMutation({
    mutationFn: async (asked: string) => prove({ passkey: await askForPasskey(asked) }),
    gcTime: 0,
  });
  const hasCodes = challenge === undefined || challenge.kinds.includes('totp');
  return (
    <Form onSubmit={() => send.mutate({ code: code.replaceAll(/\s/g, '') })} error={send.error}>
      <Stack gap="md">
        {options !== undefined && hasPasskeys() && (
          <Button
            variant={hasCodes ? 'default' : 'filled'}
            leftSection={<KeyRound size={16} />}
            loading={passkey.isPending}
            onClick={() => passkey.mutate(options)}
            fullWidth
          >
            Use a passkey
          </Button>
        )}
        <TextInput
          label={hasCodes ? 'Code' : 'Recovery code'}
          description={hasCodes ? 'The six digits of your app, or a recovery code.' : 'One of those that you kept.'}
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={40}
          required
          withAsterisk={false}
          data-autofocus
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
          aria-invalid={send.isError}
        />
        <ErrorAlert error={send.error ?? passkey.error} next={null} />
        <Button type="submit" loading={send.isPending} fullWidth variant={hasCodes ? 'filled' : 'default'}>
          {submitLabel}
        </Button>
      </Stack>
    </Form>
  );
}
