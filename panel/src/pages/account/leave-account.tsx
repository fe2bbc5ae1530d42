import { Button, Radio, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../../api/account.ts';
import { api, take } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { ConfirmByName } from '../../parts/confirm-by-name.tsx';

/** Lets a member leave the account of others. Renders nothing for the person that the account was made by. */
export function LeaveAccount() {
  const { email, member } = useAccount();
  return member === undefined || member.email === email ? null : <Leave id={member.id} account={email} />;
}

function Leave({ id, account }: { id: string; account: string }) {
  const client = useQueryClient();
  const [isAsking, asking] = useDisclosure();
  const [keys, setKeys] = useState<'revoke' | 'keep'>('revoke');
  const leave = useMutation({
    mutationFn: () => take(api.DELETE('/v1/account/members/{id}', { params: { path: { id }, query: { keys } } })),
    onSuccess: () => client.refetchQueries({ queryKey: ['account'] }),
  });
  return (
    <Card
      title="Leave this account"
      description={`You are a member of the account of ${account}. Another invitation lets you come back.`}
      actions={
        <Button variant="light" color="red" onClick={asking.open}>
          Leave…
        </Button>
      }
    >
      <ConfirmByName
        opened={isAsking}
        onClose={asking.close}
        title={`Leave the account of ${account}?`}
        confirmLabel="Leave"
        onConfirm={() => leave.mutate()}
        isPending={leave.isPending}
        error={leave.error}
      >
        You are signed out of it at once. Phones stay as they are.
        <Radio.Group
          label="API keys that you made"
          mt="md"
          value={keys}
          onChange={(value) => setKeys(value === 'keep' ? 'keep' : 'revoke')}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="revoke" label="Revoke them: programs that use them stop" />
            <Radio value="keep" label="Keep them: they belong to the account from now on" />
          </Stack>
        </Radio.Group>
      </ConfirmByName>
    </Card>
  );
}
