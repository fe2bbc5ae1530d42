import { Stack, Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, type Schemas, take } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { useAccount } from '../../api/account.ts';
import { useBilling } from '../../parts/prices.ts';

type Settings = Schemas['AccountSettings'];
type Change = Schemas['UpdateAccountBody'];

/** What owners and admins choose for the whole account. Renders nothing where the service does not have it. */
export function AccountChoices() {
  const { settings } = useAccount();
  return settings === undefined ? null : <Choices settings={settings} />;
}

function Choices({ settings: { require_second_factor: isRequired, mail } }: { settings: Settings }) {
  const client = useQueryClient();
  const isBilled = useBilling() ?? false;
  const change = useMutation({
    mutationFn: (body: Change) => take(api.PATCH('/v1/account', { body })),
    onSettled: () => client.invalidateQueries({ queryKey: ['account'] }),
  });
  const choice = (label: string, description: string, isOn: boolean, to: (isOn: boolean) => Change) => (
    <Switch
      label={label}
      description={description}
      checked={isOn}
      disabled={change.isPending}
      onChange={({ currentTarget }) => change.mutate(to(currentTarget.checked))}
    />
  );
  return (
    <Card title="For the whole account" description="Owners and admins choose it. It holds for every member.">
      <Stack gap="md">
        {choice(
          'Require a second factor',
          'Members without one can only set one up. API keys are not affected.',
          isRequired,
          (isOn) => ({ require_second_factor: isOn }),
        )}
        {isBilled &&
          choice(
            'Mail when the balance is low',
            'To owners and admins: it is used up, or will be within a day.',
            mail.balance ?? true,
            (isOn) => ({ mail: { balance: isOn } }),
          )}
        {choice(
          'Mail when a phone needs attention',
          'To owners and admins: it has failed, or reports a problem.',
          mail.attention ?? true,
          (isOn) => ({ mail: { attention: isOn } }),
        )}
        <ErrorAlert error={change.error} />
      </Stack>
    </Card>
  );
}
