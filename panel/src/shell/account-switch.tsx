import { Menu } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import Check from 'lucide-react/icons/check';
import { useLocation } from 'wouter';
import { api, take } from '../api/client.ts';
import { announce } from '../api/other-tabs.ts';
import { HOME } from '../pages/registry.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';

/** The other accounts of the person, to go on in. Renders nothing for people with one account. */
export function AccountSwitch() {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const { data: accounts = [] } = useQuery({
    queryKey: ['accounts'],
    queryFn: async () => (await take(api.GET('/v1/accounts'))).accounts,
    staleTime: 60_000,
  });
  const change = useMutation({
    mutationFn: (account: string) => take(api.POST('/v1/session/account', { body: { account } })),
    onSuccess: async () => {
      announce('account-switched');
      // The page may be about a thing of the account before.
      navigate(HOME);
      await client.refetchQueries({ queryKey: ['account'] });
    },
  });
  if (accounts.length < 2) return null;
  return (
    <>
      <Menu.Divider />
      <Menu.Label>Accounts</Menu.Label>
      {accounts.map(({ id, email, role, current }) => (
        <Menu.Item
          key={id}
          disabled={current || change.isPending}
          rightSection={current ? <Check size={14} aria-label="this one" /> : undefined}
          onClick={() => change.mutate(id)}
        >
          {email}, {role}
        </Menu.Item>
      ))}
      <ErrorAlert error={change.error} next={null} />
      <Menu.Divider />
    </>
  );
}
