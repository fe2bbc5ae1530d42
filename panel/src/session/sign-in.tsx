import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, take } from '../api/client.ts';
import { fieldErrors } from '../api/field-errors.ts';
import { announce } from '../api/other-tabs.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Form } from '../parts/form.tsx';
import { usePrices } from '../parts/prices.ts';
import { methodsQuery } from '../api/sign-in-methods.ts';
import { OtherWays } from './other-ways.tsx';
import { PasswordField } from './password-field.tsx';
import type { Challenge } from './proof-form.tsx';
import { PublicPage } from './public-page.tsx';
import { SecondStep } from './second-step.tsx';
import { useProviderFault } from './provider-fault.ts';

/** The page for people who are not signed in. They sign in by one of the ways on offer, or create an account, which signs in too. */
export function SignIn() {
  const client = useQueryClient();
  const prices = usePrices();
  const { data: methods, error: unknown, refetch } = useQuery(methodsQuery);
  const providerFault = useProviderFault();
  const [wantsAccount, setWantsAccount] = useState(() => location.pathname === '/sign-up');
  const isNew = wantsAccount && methods?.sign_up !== false;
  const [email, setEmail] = useState(() => new URLSearchParams(location.search).get('email') ?? '');
  const [password, setPassword] = useState('');
  const [challenge, setChallenge] = useState<Challenge>();
  const finish = () => {
    announce('signed-in-or-out');
    return client.refetchQueries({ queryKey: ['account'] });
  };
  const enter = useMutation({
    mutationFn: async () => {
      const body = { email: email.trim(), password };
      if (isNew) await take(api.POST('/v1/account', { body }));
      const { second_factor: asked } = await take(api.POST('/v1/session', { body }));
      if (asked === undefined) await finish();
      return asked;
    },
    onSuccess: (asked) => {
      setPassword('');
      setChallenge(asked);
    },
    gcTime: 0,
  });
  if (challenge !== undefined) {
    return <SecondStep challenge={challenge} onDone={finish} onBack={() => setChallenge(undefined)} />;
  }
  const { at, rest } = fieldErrors(enter.error, ['email', 'password']);
  const turn = (): void => {
    setWantsAccount(!isNew);
    enter.reset();
  };
  // Until the ways are known, and where they cannot be fetched, the page has the one that every service has had.
  const hasPassword = methods?.password !== false;
  return (
    <PublicPage
      title={isNew ? 'Create your account' : 'Sign in'}
      description={isNew ? trialText(prices) : 'Welcome back.'}
      below={<Below isNew={isNew} signUp={methods?.sign_up} onTurn={turn} />}
    >
      <ErrorAlert error={providerFault ?? unknown} onRetry={() => void refetch()} next={null} />
      {hasPassword && (
        <Form onSubmit={() => enter.mutate()} error={enter.error}>
          <Stack gap="md">
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
            <PasswordField label="Password" isNew={isNew} value={password} onChange={setPassword} error={at.password} />
            <Button type="submit" loading={enter.isPending} fullWidth>
              {isNew ? 'Create account' : 'Sign in'}
            </Button>
            {!isNew && methods?.password_reset === true && (
              <Anchor href="/forgot" size="sm" ta="center" underline="always">
                Forgot your password?
              </Anchor>
            )}
          </Stack>
        </Form>
      )}
      {!isNew && methods !== undefined && <OtherWays methods={methods} onDone={finish} />}
    </PublicPage>
  );
}

/** What is below the box: the way to an account, or to the one that the person has. */
function Below({ isNew, signUp, onTurn }: { isNew: boolean; signUp: boolean | undefined; onTurn: () => void }) {
  if (signUp === false) {
    return (
      <Text size="sm" ta="center" c="dimmed">
        New here? Ask the operator of this service for an account.
      </Text>
    );
  }
  return (
    <Text size="sm" ta="center">
      {isNew ? 'Already have an account? ' : 'New here? '}
      <Anchor component="button" type="button" size="sm" underline="always" onClick={onTurn}>
        {isNew ? 'Sign in' : 'Create an account'}
      </Anchor>
    </Text>
  );
}

/** Returns what a new account can do before it pays; empty where nothing is charged. */
function trialText(prices: ReturnType<typeof usePrices>): string {
  if (prices === undefined) return '…';
  if (!prices.billing) return 'An e-mail address and a password are all it takes.';
  if (prices.trial_minutes === 0) return 'No card needed.';
  return `${prices.trial_minutes} minutes of a running phone are free. No card needed.`;
}
