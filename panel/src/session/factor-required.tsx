import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useAccount } from '../api/account.ts';
import { api, take } from '../api/client.ts';
import { announce } from '../api/other-tabs.ts';
import { SecondFactors } from '../pages/security/second-factors.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { Brand } from '../shell/brand.tsx';
import classes from './sign-in.module.css';

interface Props {
  /** Is called with whether the person is adding a second factor, until the recovery codes are kept. */
  onAdding: (isAdding: boolean) => void;
}

/** The only page of a member without a second factor, in an account that requires one. */
export default function FactorRequired({ onAdding }: Props) {
  const { email } = useAccount();
  const client = useQueryClient();
  const leave = useMutation({
    mutationFn: () => take(api.DELETE('/v1/session')),
    onSuccess: () => {
      announce('signed-in-or-out');
      client.setQueryData(['account'], null);
    },
  });
  return (
    <main className={classes.required}>
      <Brand />
      <PageHeader
        title="Set up a second factor first"
        description={`The account of ${email} requires one of each member. The rest of the panel opens when you have it.`}
        actions={
          <Button variant="default" loading={leave.isPending} onClick={() => leave.mutate()}>
            Sign out
          </Button>
        }
      />
      <ErrorAlert error={leave.error} />
      <SecondFactors onAdding={onAdding} />
    </main>
  );
}
