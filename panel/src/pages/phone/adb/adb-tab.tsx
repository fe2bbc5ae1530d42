import { Alert, Button, Select, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldErrors } from '../../../api/field-errors.ts';
import { api, type Schemas, take } from '../../../api/client.ts';
import { Card } from '../../../parts/card.tsx';
import { CommandLine } from '../../../parts/command-line.tsx';
import { ErrorAlert } from '../../../parts/error-alert.tsx';
import { Fetched } from '../../../parts/fetched.tsx';
import { Form } from '../../../parts/form.tsx';
import { Facts } from '../../../parts/facts.tsx';
import forms from '../../../parts/forms.module.css';
import { StatusBadge } from '../../../parts/status-badge.tsx';
import { Moment } from '../../../parts/time.tsx';
import type { TabProps } from '../tab-props.ts';
import classes from '../phone.module.css';

type Relay = Schemas['AdbRelay'];

/** Connections and refusals change by themselves. */
const POLL_MS = 5_000;

const LIFETIMES = [
  ['3600', '1 hour'],
  ['28800', '8 hours'],
  ['86400', '24 hours'],
  ['604800', '7 days'],
] as const;

/** Turns the ADB relay of a phone on and off, and shows the commands to use it. */
export default function AdbTab({ device: { name } }: TabProps) {
  const client = useQueryClient();
  const queryKey = ['devices', name, 'adb'];
  // Only the response of the POST has the code.
  const [code, setCode] = useState<string>();
  const relay = useQuery({
    queryKey,
    queryFn: async () => (await take(api.GET('/v1/devices/{name}/adb', { params: { path: { name } } }))).adb,
    refetchInterval: POLL_MS,
  });
  const disable = useMutation({
    mutationFn: () => take(api.DELETE('/v1/devices/{name}/adb', { params: { path: { name } } })),
    onSuccess: () => {
      setCode(undefined);
      return client.invalidateQueries({ queryKey });
    },
  });
  const onEnabled = (enabled: Relay): void => {
    const { code: once, ...kept } = enabled;
    setCode(once);
    client.setQueryData(queryKey, kept);
  };
  return (
    <Fetched query={relay} what="the relay">
      {(data) => (
        <>
          {data.enabled && (
            <RelayOn
              relay={data}
              code={code}
              onDisable={() => disable.mutate()}
              isDisabling={disable.isPending}
              error={disable.error}
            />
          )}
          <Enable key={String(data.enabled)} name={name} relay={data} onEnabled={onEnabled} />
        </>
      )}
    </Fetched>
  );
}

interface OnProps {
  relay: Relay;
  code: string | undefined;
  onDisable: () => void;
  isDisabling: boolean;
  error: Error | null;
}

function RelayOn({ relay, code, onDisable, isDisabling, error }: OnProps) {
  const { host = '', port = 0, expires_at, allow, sessions, refused } = relay;
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const refusals = Object.entries(refused)
    .map(([rule, count]) => `${rule}: ${count}`)
    .join(', ');
  return (
    <Card
      title="ADB relay"
      badge={<StatusBadge state="on" tone="good" />}
      actions={
        <Button variant="default" size="compact-sm" loading={isDisabling} onClick={onDisable}>
          Turn off
        </Button>
      }
    >
      <div className={forms.fields}>
        <ErrorAlert error={error} />
        {code === undefined ? (
          <Alert variant="light" role="note">
            <span className={classes.result}>
              The login code was shown when the relay was turned on. Make a new one below if it is lost.
            </span>
          </Alert>
        ) : (
          <>
            <p className={classes.note}>Run these on a machine with an allowed address. The code is shown only now.</p>
            <CommandLine text={`adb connect ${address}`} what="the connect command" />
            <CommandLine text={`adb -s ${address} shell service-login ${code}`} what="the login command" />
          </>
        )}
        <Facts
          facts={[
            ['Address', address],
            ['Until', expires_at && <Moment at={expires_at} />],
            ['Allowed', allow.join(', ')],
            ['Connections', sessions.length === 0 ? 'Nobody is connected' : sessions.map(sessionLine)],
            ['Refused', refusals === '' ? undefined : refusals],
          ]}
        />
      </div>
    </Card>
  );
}

function sessionLine({ id, address, logged_in }: Relay['sessions'][number]) {
  return (
    <div key={id}>
      {address}, {logged_in ? 'logged in' : 'not logged in yet'}
    </div>
  );
}

function Enable({ name, relay, onEnabled }: { name: string; relay: Relay; onEnabled: (relay: Relay) => void }) {
  const [allow, setAllow] = useState(relay.allow.join('\n'));
  const [lifetime, setLifetime] = useState<string>('86400');
  const enable = useMutation({
    mutationFn: async () => {
      const body = { allow: allow.split(/[\s,]+/).filter((one) => one !== ''), lifetime_s: Number(lifetime) };
      return (await take(api.POST('/v1/devices/{name}/adb', { params: { path: { name } }, body }))).adb;
    },
    onSuccess: onEnabled,
  });
  const { at, rest } = fieldErrors(enable.error, ['allow', 'lifetime_s']);
  return (
    <Card
      badge={!relay.enabled && <StatusBadge state="off" />}
      title={relay.enabled ? 'New login code' : 'ADB relay'}
      description={
        relay.enabled
          ? 'Ends the connections of the old one. The addresses and the time can be changed with it.'
          : 'Turn it on to use your own adb with this phone, from the addresses that you allow.'
      }
    >
      <Form onSubmit={() => enable.mutate()} error={enable.error} className={forms.fields}>
        <Textarea
          label="Allowed addresses"
          description="1 to 20 addresses or ranges, one on each line, such as 203.0.113.7 or 2001:db8::/48."
          autosize
          minRows={2}
          value={allow}
          onChange={(event) => setAllow(event.currentTarget.value)}
          error={at.allow}
          spellCheck={false}
        />
        <Select
          label="Stays on for"
          data={LIFETIMES.map(([value, label]) => ({ value, label }))}
          value={lifetime}
          onChange={(value) => value !== null && setLifetime(value)}
          error={at.lifetime_s}
          allowDeselect={false}
        />
        <ErrorAlert error={rest} />
        <div>
          <Button type="submit" loading={enable.isPending} disabled={allow.trim() === ''}>
            {relay.enabled ? 'Make a new code' : 'Turn on ADB'}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
