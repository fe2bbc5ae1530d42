import { Button, Divider, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import LogIn from 'lucide-react/icons/log-in';
import { useState } from 'react';
import { api, ApiFault, type Schemas, take } from '../api/client.ts';
import { fieldErrors } from '../api/field-errors.ts';
import { ROLE_WORDS } from '../api/rights.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Form } from '../parts/form.tsx';
import { Loading } from '../parts/loading.tsx';
import { methodsQuery } from '../api/sign-in-methods.ts';
import { BadLink } from './bad-link.tsx';
import { useLinkToken } from './link-token.ts';
import { PasswordField } from './password-field.tsx';
import { PublicPage } from './public-page.tsx';

type Invited = Schemas['ReadInvitationResult'];

/** The page that an invitation's link opens. A person joins an account here, and signs in afterwards. */
export default function InvitationPage() {
  const token = useLinkToken();
  return token === undefined ? <BadLink isComplete={false} again="" /> : <ReadInvitation key={token} token={token} />;
}

function ReadInvitation({ token }: { token: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => take(api.POST('/v1/invitations/read', { body: { token } })),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (data !== undefined) return <Accept token={token} invited={data} />;
  if (error === null) return <Loading what="the invitation" />;
  if (error instanceof ApiFault && error.status === 404)
    return <BadLink isComplete again="Ask those who invited you for a new one." />;
  return (
    <main className="entrance">
      <ErrorAlert error={error} onRetry={() => void refetch()} />
    </main>
  );
}

function Accept({ token, invited: { email, role, account, known } }: { token: string; invited: Invited }) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const accept = useMutation({
    mutationFn: async () => {
      const own = name.trim();
      await take(api.POST('/v1/invitations/accept', { body: { token, password, ...(own !== '' && { name: own }) } }));
    },
    onSuccess: () => {
      setPassword('');
    },
    gcTime: 0,
  });
  const { at, rest } = fieldErrors(accept.error, ['name', 'password']);
  const { data: methods } = useQuery(methodsQuery);
  if (accept.isSuccess) {
    return (
      <PublicPage title="You have joined" description={`You are ${role} in the account of ${account} now.`}>
        <Button component="a" href={`/sign-in?email=${encodeURIComponent(email)}`} fullWidth>
          Sign in
        </Button>
      </PublicPage>
    );
  }
  return (
    <PublicPage title="You are invited" description={`${account} invites ${email} as ${role}: ${ROLE_WORDS[role]}.`}>
      {methods?.provider !== undefined && <JoinAtProvider token={token} provider={methods.provider} />}
      {methods?.provider !== undefined && methods.password && <Divider label="or" my="md" />}
      {methods?.password !== false && (
        <Form onSubmit={() => accept.mutate()} error={accept.error}>
          <Stack gap="md">
            <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
            {!known && (
              <TextInput
                label="Your name"
                description="Others in the account see it. It can be left out."
                autoComplete="name"
                maxLength={100}
                value={name}
                onChange={({ currentTarget }) => setName(currentTarget.value)}
                error={at.name}
              />
            )}
            <PasswordField
              label={known ? 'Your password here' : 'Choose a password'}
              isNew={!known}
              value={password}
              onChange={setPassword}
              error={at.password}
            />
            <ErrorAlert error={rest} next={null} />
            <Button type="submit" loading={accept.isPending} fullWidth>
              Join
            </Button>
          </Stack>
        </Form>
      )}
    </PublicPage>
  );
}

/** Joins by a sign-in at the identity provider, which leads into the panel. */
function JoinAtProvider({ token, provider }: { token: string; provider: string }) {
  const begin = useMutation({
    mutationFn: () => take(api.POST('/v1/invitations/provider', { body: { token } })),
    onSuccess: ({ url }) => location.assign(url),
    gcTime: 0,
  });
  return (
    <Stack gap="md">
      <ErrorAlert error={begin.error} next={null} />
      <Button
        leftSection={<LogIn size={16} />}
        loading={begin.isPending || begin.isSuccess}
        onClick={() => begin.mutate()}
        fullWidth
      >
        Join at {provider}
      </Button>
    </Stack>
  );
}
