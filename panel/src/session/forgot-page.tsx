import { Anchor, Button, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, take } from '../api/client.ts';
import { fieldErrors } from '../api/field-errors.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Form } from '../parts/form.tsx';
import { PublicPage } from './public-page.tsx';
import classes from './sign-in.module.css';

/** Asks for the mail by which a forgotten password is replaced. It never says whether somebody has the address. */
export default function ForgotPage() {
  const [email, setEmail] = useState('');
  const ask = useMutation({
    mutationFn: () => take(api.POST('/v1/account/password/reset', { body: { email: email.trim() } })),
  });
  const { at, rest } = fieldErrors(ask.error, ['email']);
  const back = (
    <p className={classes.below}>
      <Anchor href="/sign-in" size="sm" underline="always">
        Back to signing in
      </Anchor>
    </p>
  );
  if (ask.isSuccess) {
    return (
      <PublicPage
        title="Look into your mail"
        description={`If somebody signs in with ${email.trim()}, a link is on its way there. It works for 30 minutes.`}
        below={back}
      >
        <Button variant="default" onClick={ask.reset} fullWidth>
          Use another address
        </Button>
      </PublicPage>
    );
  }
  return (
    <PublicPage title="Forgot your password?" description="A link to choose a new one is mailed to you." below={back}>
      <Form onSubmit={() => ask.mutate()} error={ask.error}>
        <Stack gap="md">
          <TextInput
            label="E-mail"
            inputMode="email"
            autoComplete="username"
            required
            withAsterisk={false}
            maxLength={254}
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
            error={at.email}
          />
          <ErrorAlert error={rest} next={null} />
          <Button type="submit" loading={ask.isPending} fullWidth>
            Send the link
          </Button>
        </Stack>
      </Form>
    </PublicPage>
  );
}
