import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { emailOf, useAccount } from '../../api/account.ts';
import { api, take } from '../../api/client.ts';
import { methodsQuery } from '../../api/sign-in-methods.ts';
import { Card } from '../../parts/card.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';

/** Mails the person a link that confirms the address. Renders nothing where the service sends no mail. */
export function VerifyAddress() {
  const account = useAccount();
  const { data: methods } = useQuery(methodsQuery);
  const send = useMutation({ mutationFn: () => take(api.POST('/v1/account/email/verification')) });
  if (methods?.password_reset !== true) return null;
  return (
    <Card
      title="E-mail address"
      description={
        send.isSuccess
          ? `A link is on its way to ${emailOf(account)}. It works for 24 hours.`
          : 'A link in a mail confirms that you read mail at your address.'
      }
      actions={
        <Button variant="default" onClick={() => send.mutate()} loading={send.isPending} disabled={send.isSuccess}>
          Send a link
        </Button>
      }
    >
      <ErrorAlert error={send.error} />
    </Card>
  );
}
