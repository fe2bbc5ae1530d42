import { Radio, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, take } from '../../api/client.ts';
import { ConfirmByName } from '../../parts/confirm-by-name.tsx';
import type { Member } from './members-query.ts';

interface Props {
  member: Member;
  opened: boolean;
  onClose: () => void;
}

/** Removes a member from the account, with a choice about the keys that the member made. */
export function RemoveMember({ member: { id, email }, opened, onClose }: Props) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [keys, setKeys] = useState<'revoke' | 'keep'>('revoke');
  const remove = useMutation({
    mutationFn: () => take(api.DELETE('/v1/account/members/{id}', { params: { path: { id }, query: { keys } } })),
    onSuccess: async () => {
      navigate('/members');
      for (const queryKey of [['members'], ['keys']]) await client.invalidateQueries({ queryKey });
    },
  });
  return (
    <ConfirmByName
      opened={opened}
      onClose={onClose}
      title={`Remove ${email}?`}
      confirmLabel="Remove member"
      onConfirm={() => remove.mutate()}
      isPending={remove.isPending}
      error={remove.error}
    >
      {`${email} is signed out of this account at once. Phones stay as they are.`}
      <Radio.Group
        label="API keys that this member made"
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
  );
}
