import { Button, CloseButton } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import Check from 'lucide-react/icons/check';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { curlSample } from '../../../../reference/samples/curl.ts';
import { ANY_JSON } from '../../../../reference/samples/request.ts';
import { allOf } from '../../api/all-of.ts';
import { Card } from '../../parts/card.tsx';
import { CommandLine } from '../../parts/command-line.tsx';
import forms from '../../parts/forms.module.css';
import { useAccount } from '../../api/account.ts';
import classes from './phones.module.css';

/** How often the keys are fetched until one was used, ms. */
const POLL_MS = 3_000;

/** A program's first call, for any account. */
const FIRST_CALL = curlSample({
  ...{
    method: 'GET',
    path: '/devices',
    template: '/v1/devices',
    access: 'key',
    pathValues: {},
    query: {},
    headers: {},
  },
  ...{ body: { kind: 'none' }, result: ANY_JSON },
}).replaceAll(' \\\n  ', ' ');

/**
 * Leads a new account through its key, its phone and its first call. Each step is ticked off once it is done. The steps disappear with the
 * last one.
 */
export function FirstSteps({ hasPhone }: { hasPhone: boolean }) {
  const { email } = useAccount();
  const [isDismissed, setDismissed] = useLocalStorage({
    key: `first-steps-dismissed ${email}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const { data: keys } = useQuery({
    queryKey: ['keys'],
    queryFn: () => allOf('/v1/keys', 'keys'),
    enabled: !isDismissed,
    refetchInterval: POLL_MS,
  });
  if (isDismissed || keys === undefined) return null;
  const hasKey = keys.length > 0;
  const hasCalled = keys.some((key) => key.last_used_at !== undefined);
  if (hasKey && hasPhone && hasCalled) return null;
  return (
    <div className={classes.firstSteps}>
      <Card
        title="First steps"
        actions={<CloseButton aria-label="Dismiss the first steps" onClick={() => setDismissed(true)} />}
      >
        <ol className={classes.steps}>
          <Step title="Make a key for your programs" isDone={hasKey}>
            <Button component={Link} href="/settings/keys/new" size="compact-sm" variant="default">
              Make a key
            </Button>
          </Step>
          <Step title="Start your first phone" isDone={hasPhone}>
            <Button component={Link} href="/phones/new" size="compact-sm" variant="default">
              Choose a phone
            </Button>
          </Step>
          <Step title="Call the API with your key" isDone={hasCalled}>
            <CommandLine
              text={`export CLOUDPHONE_URL=${location.origin}/v1 CLOUDPHONE_KEY='your key'`}
              what="the address"
            />
            <CommandLine text={FIRST_CALL} what="the first call" />
            <p className={forms.quiet}>It lists your phones. This step is ticked off when the key was used.</p>
          </Step>
        </ol>
      </Card>
    </div>
  );
}

function Step({ title, isDone, children }: { title: string; isDone: boolean; children: ReactNode }) {
  return (
    <li className={classes.step} data-done={isDone}>
      <span className={classes.tick} aria-hidden>
        {isDone && <Check size={14} />}
      </span>
      <div className={classes.stepBody}>
        <strong>
          {title}
          {isDone && <span className="visually-hidden">: finished</span>}
        </strong>
        {!isDone && children}
      </div>
    </li>
  );
}
