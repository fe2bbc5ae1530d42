import { Button, Divider, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import KeyRound from 'lucide-react/icons/key-round';
import LogIn from 'lucide-react/icons/log-in';
import { api, type Schemas, take } from '../api/client.ts';
import { askForPasskey, hasPasskeys } from '../api/passkeys.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';

interface Props {
  methods: Schemas['ListSignInMethodsResult'];
  onDone: () => Promise<unknown>;
}

/** The ways to sign in besides a password: the provider of the company, and a passkey. Renders nothing where there is none. */
export function OtherWays({ methods: { password, passkey, provider }, onDone }: Props) {
  const enter = useMutation({
    mutationFn: async () => {
      const { second_factor: challenge } = await take(api.POST('/v1/session/passkey'));
      const proof = await askForPasskey(challenge.passkey_options ?? '');
      await take(api.POST('/v1/session/second-factor', { body: { token: challenge.token, passkey: proof } }));
      await onDone();
    },
    gcTime: 0,
  });
  const isOffered = passkey && hasPasskeys();
  if (!isOffered && provider === undefined) return null;
  return (
    <Stack gap="sm" mt="md">
      {password && <Divider label="or" />}
      {provider !== undefined && (
        <Button
          component="a"
          href={`/v1/session/oidc?return_to=${encodeURIComponent(returnTo())}`}
          variant={password ? 'default' : 'filled'}
          leftSection={<LogIn size={16} />}
          fullWidth
        >
          Sign in at {provider}
        </Button>
      )}
      {isOffered && (
        <Button
          variant={password || provider !== undefined ? 'default' : 'filled'}
          leftSection={<KeyRound size={16} />}
          loading={enter.isPending}
          onClick={() => enter.mutate()}
          fullWidth
        >
          Sign in with a passkey
        </Button>
      )}
      <ErrorAlert error={enter.error} next={null} />
    </Stack>
  );
}

/** Returns the page that the person wanted to see. */
function returnTo(): string {
  const { pathname, search } = location;
  return pathname === '/sign-in' || pathname === '/sign-up' ? '/' : pathname + search;
}
