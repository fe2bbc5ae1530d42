import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ApiFault, take } from '../api/client.ts';
import { fieldErrors } from '../api/field-errors.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Form } from '../parts/form.tsx';
import { BadLink } from './bad-link.tsx';
import { useLinkToken } from './link-token.ts';
import { PasswordField } from './password-field.tsx';
import { PublicPage } from './public-page.tsx';

/** The page that the link for a forgotten password opens: it takes a new password, once. */
export default function ResetPage() {
  const token = useLinkToken();
  const [password, setPassword] = useState('');
  const reset = useMutation({
    mutationFn: (link: string) =>
      take(api.POST('/v1/account/password/reset/confirm', { body: { token: link, new_password: password } })),
    onSuccess: () => setPassword(''),
    gcTime: 0,
  });
  const { at, rest } = fieldErrors(reset.error, ['new_password']);
  if (token === undefined || (reset.error instanceof ApiFault && reset.error.status === 404))
    return <BadLink isComplete={token !== undefined} again="Ask for a new one on the sign-in page." />;
  if (reset.isSuccess) {
    return (
      <PublicPage title="Your password is changed" description="You are signed out everywhere.">
        <Button component="a" href="/sign-in" fullWidth>
          Sign in
        </Button>
      </PublicPage>
    );
  }
  return (
    <PublicPage title="Choose a new password" description="It signs you out everywhere. API keys go on working.">
      <Form onSubmit={() => reset.mutate(token)} error={reset.error}>
        <Stack gap="md">
          <PasswordField label="New password" isNew value={password} onChange={setPassword} error={at.new_password} />
          <ErrorAlert error={rest} next={null} />
          <Button type="submit" loading={reset.isPending} fullWidth>
            Change password
          </Button>
        </Stack>
      </Form>
    </PublicPage>
  );
}
