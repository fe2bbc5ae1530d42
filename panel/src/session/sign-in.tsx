import { Anchor, Button, Paper, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, take } from '../api/client.ts';
import { fieldErrors } from '../api/field-errors.ts';
import { Form } from '../parts/form.tsx';
import { usePrices, useSignUp } from '../parts/prices.ts';
import { Brand } from '../shell/brand.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { setPageTitle } from '../parts/window-title.ts';
import classes from './sign-in.module.css';

/** The page for people who are not signed in. They can sign in, or create an account, which signs in too. */
export function SignIn() {
  const client = useQueryClient();
  const prices = usePrices();
  const signUp = useSignUp();
  const [wantsAccount, setWantsAccount] = useState(() => location.pathname === '/sign-up');
  const isNew = wantsAccount && signUp !== false;
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  const enter = useMutation({
    mutationFn: async () => {
      const body = { email: email.trim(), password };
      if (isNew) await take(api.POST('/v1/account', { body }));
      return (await take(api.POST('/v1/session', { body }))).account;
    },
    onSuccess: (account) => client.setQueryData(['account'], account),
  });
  const { at, rest } = fieldErrors(enter.error, ['email', 'password']);
  const title = isNew ? 'Create your account' : 'Sign in';
  useEffect(() => {
    setPageTitle(`${title} · Cloud phones`);
  }, [title]);

  const turn = (): void => {
    setWantsAccount(!isNew);
    enter.reset();
    heading.current?.focus();
  };
  return (
    <main className={classes.page}>
      <div className={classes.column}>
        <Brand />
        <Paper withBorder radius="lg" p="xl" shadow="sm">
          <Form onSubmit={() => enter.mutate()} error={enter.error}>
            <Stack gap="md">
              <div>
                <h1 ref={heading} tabIndex={-1} className={classes.title}>
                  {title}
                </h1>
                <Text c="dimmed" size="sm">
                  {isNew ? trialText(prices) : 'Welcome back.'}
                </Text>
              </div>
              <ErrorAlert error={rest} next={null} />
              <TextInput
                label="E-mail"
                type="text"
                inputMode="email"
                autoComplete="username"
                required
                withAsterisk={false}
                value={email}
                onChange={(event) => setEmail(event.currentTarget.value)}
                error={at.email}
              />
              <PasswordInput
                label="Password"
                description={isNew ? 'At least 8 characters.' : undefined}
                autoComplete={isNew ? 'new-password' : 'current-password'}
                required
                withAsterisk={false}
                value={password}
                onChange={(event) => setPassword(event.currentTarget.value)}
                error={at.password}
                aria-invalid={at.password !== undefined}
                visibilityToggleButtonProps={{ 'aria-label': 'Show the password', tabIndex: 0 }}
              />
              <Button type="submit" loading={enter.isPending} fullWidth>
                {isNew ? 'Create account' : 'Sign in'}
              </Button>
            </Stack>
          </Form>
        </Paper>
        {signUp === false ? (
          <Text size="sm" ta="center" c="dimmed">
            New here? Ask the operator of this service for an account.
          </Text>
        ) : (
          <Text size="sm" ta="center">
            {isNew ? 'Already have an account? ' : 'New here? '}
            <Anchor component="button" type="button" size="sm" underline="always" onClick={turn}>
              {isNew ? 'Sign in' : 'Create an account'}
            </Anchor>
          </Text>
        )}
      </div>
    </main>
  );
}

/** Returns what a new account can do before it pays; empty where nothing is charged. */
function trialText(prices: ReturnType<typeof usePrices>): string {
  if (prices === undefined) return '…';
  if (!prices.billing) return 'An e-mail address and a password are all it takes.';
  if (prices.trial_minutes === 0) return 'No card needed.';
  return `${prices.trial_minutes} minutes of a running phone are free. No card needed.`;
}
