import { Menu, UnstyledButton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import Activity from 'lucide-react/icons/activity';
import BookOpen from 'lucide-react/icons/book-open';
import ChevronDown from 'lucide-react/icons/chevron-down';
import LogOut from 'lucide-react/icons/log-out';
import User from 'lucide-react/icons/user';
import { api, take } from '../api/client.ts';
import { announce } from '../api/other-tabs.ts';
import { methodsQuery } from '../api/sign-in-methods.ts';
import { ToneSwitch } from '../handovers/tone-switch.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { dollars } from '../parts/money.ts';
import { useBilling } from '../parts/prices.ts';
import { emailOf, useAccount } from '../api/account.ts';
import { AccountSwitch } from './account-switch.tsx';
import { useRight } from '../api/use-right.ts';
import classes from './shell.module.css';

export function AccountMenu() {
  const account = useAccount();
  const isBilled = useBilling();
  const seesMoney = useRight('billing');
  const client = useQueryClient();
  const leave = useMutation({
    mutationFn: ({ everywhere = false }: { everywhere?: boolean; atProvider?: boolean }) =>
      take(api.DELETE('/v1/session', { params: { query: everywhere ? { everywhere } : {} } })),
    onSuccess: (_, { atProvider = false }) => {
      announce('signed-in-or-out');
      if (atProvider) location.assign('/v1/session/oidc/sign-out');
      else client.setQueryData(['account'], null);
    },
  });
  const provider = useQuery(methodsQuery).data?.provider;
  const person = emailOf(account);
  return (
    <Menu position="bottom-end" width={250} closeOnItemClick={false}>
      <Menu.Target>
        <UnstyledButton className={classes.account} aria-label={`Account ${person}`}>
          <User size={16} aria-hidden />
          <span className={classes.email}>{person}</span>
          <ChevronDown size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {person}
          {account.member !== undefined && (
            <>
              <br />
              {account.member.role} of {person === account.email ? 'this account' : account.email}
            </>
          )}
          {isBilled === true && seesMoney && (
            <>
              <br />
              Balance {dollars(account.balance)}
            </>
          )}
        </Menu.Label>
        <AccountSwitch />
        <Menu.Item component="a" href="/docs/" target="_blank" leftSection={<BookOpen size={16} />}>
          Docs
        </Menu.Item>
        <Menu.Item component="a" href="/status" target="_blank" leftSection={<Activity size={16} />}>
          Status of the service
        </Menu.Item>
        <Menu.Divider />
        <ToneSwitch />
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={16} />} onClick={() => leave.mutate({})}>
          Sign out
        </Menu.Item>
        <Menu.Item onClick={() => leave.mutate({ everywhere: true })}>Sign out everywhere</Menu.Item>
        {provider !== undefined && (
          <Menu.Item onClick={() => leave.mutate({ atProvider: true })}>Sign out at {provider} too</Menu.Item>
        )}
        <ErrorAlert error={leave.error} />
      </Menu.Dropdown>
    </Menu>
  );
}
