import { Alert, Button, Checkbox, Select, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import Plus from 'lucide-react/icons/plus';
import { useState } from 'react';
import { fieldErrors } from '../../../api/field-errors.ts';
import { api, type Device, type Schemas, take } from '../../../api/client.ts';
import { Card } from '../../../parts/card.tsx';
import { CommandLine } from '../../../parts/command-line.tsx';
import { ErrorAlert } from '../../../parts/error-alert.tsx';
import { Fetched } from '../../../parts/fetched.tsx';
import { Form } from '../../../parts/form.tsx';
import { Facts } from '../../../parts/facts.tsx';
import forms from '../../../parts/forms.module.css';
import { StatusBadge } from '../../../parts/status-badge.tsx';
import { Moment } from '../../../parts/time.tsx';

type Relay = Schemas['AdbRelay'];

/** How often the relay is polled, ms, as connections and refusals change by themselves. */
const POLL_MS = 5_000;

const LIFETIMES = [
  ['3600', '1 hour'],
  ['28800', '8 hours'],
  ['86400', '24 hours'],
  ['604800', '7 days'],
] as const;

/** Turns the ADB relay of a phone on and off, and shows the commands to use it. */
export default function AdbTab({ device: { name } }: { device: Device }) {
  const client = useQueryClient();
  const queryKey = ['devices', name, 'adb'];
  // Only the response of the POST has the code.
  const [code, setCode] = useState<string>();
  const relay = useQuery({
    queryKey,
    queryFn: () => take(api.GET('/v1/devices/{name}/adb', { params: { path: { name } } })),
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
    client.setQueryData<Schemas['GetAdbResult']>(queryKey, (old) => ({ ...old, adb: kept }));
  };
  return (
    <Fetched query={relay} what="the relay">
      {({ adb: data, caller_address: ownAddress }) => (
        <>
          {data.enabled && (
            <RelayOn
              name={name}
              relay={data}
              code={code}
              onDisable={() => disable.mutate()}
              isDisabling={disable.isPending}
              error={disable.error}
            />
          )}
          <Enable key={String(data.enabled)} name={name} relay={data} ownAddress={ownAddress} onEnabled={onEnabled} />
        </>
      )}
    </Fetched>
  );
}

interface OnProps {
  name: string;
  relay: Relay;
  code: string | undefined;
  onDisable: () => void;
  isDisabling: boolean;
  error: Error | null;
}

function RelayOn({ name, relay, code, onDisable, isDisabling, error }: OnProps) {
  const { host, port, tunnel, expires_at, allow, sessions, refused } = relay;
  const address = host === undefined ? undefined : `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const refusals = Object.entries(refused)
    .map(([rule, count]) => `${rule}: ${count}`)
    .join(', ');
  return (
    <Card
      title="Your adb may connect"
      badge={<StatusBadge state="on" tone="good" />}
      actions={
        <Button variant="default" size="compact-sm" loading={isDisabling} onClick={onDisable}>
          Turn off
        </Button>
      }
    >
      <div className={forms.fields}>
        <ErrorAlert error={error} />
        {tunnel === true && (
          <>
            <p className={forms.note}>
              With the program cloudphone, from any machine that reaches this page. It needs no code: your API key is
              the login.
            </p>
            <CommandLine text={`cloudphone adb ${name}`} what="the command of the program" />
          </>
        )}
        {address === undefined ? undefined : code === undefined ? (
          <Alert variant="light" role="note">
            <span className={forms.result}>
              The login code was shown when you turned this on. If it is lost, make a new one below.
            </span>
          </Alert>
        ) : (
          <>
            <p className={forms.note}>Run these on a machine with an allowed address. The code is shown only now.</p>
            <CommandLine text={`adb connect ${address}`} what="the connect command" />
            <CommandLine text={`adb -s ${address} shell service-login ${code}`} what="the login command" />
          </>
        )}
        <Facts
          facts={[
            ['Address', address],
            ['Until', expires_at && <Moment at={expires_at} />],
            ['Allowed', allow.length === 0 ? 'Every address, with a key' : allow.join(', ')],
            ['Connections', sessions.length === 0 ? 'Nobody is connected' : sessions.map(sessionLine)],
            ['Commands refused', refusals === '' ? undefined : refusals],
          ]}
        />
      </div>
    </Card>
  );
}

function sessionLine({ id, address, logged_in, tunnel }: Relay['sessions'][number]) {
  return (
    <div key={id}>
      {address}, {tunnel === true ? 'with a key' : logged_in ? 'logged in' : 'not logged in yet'}
    </div>
  );
}

interface EnableProps {
  name: string;
  relay: Relay;
  /** The address from which the person's requests come. Undefined: it is not known. */
  ownAddress: string | undefined;
  onEnabled: (relay: Relay) => void;
}

function Enable({ name, relay, ownAddress, onEnabled }: EnableProps) {
  const [allow, setAllow] = useState(relay.allow.join('\n'));
  const [tunnel, setTunnel] = useState(relay.enabled ? relay.tunnel === true : true);
  const [lifetime, setLifetime] = useState<string>('86400');
  const allowed = allow.split(/[\s,]+/).filter((one) => one !== '');
  const enable = useMutation({
    mutationFn: async () => {
      const body = { allow: allowed, tunnel, lifetime_s: Number(lifetime) };
      return (await take(api.POST('/v1/devices/{name}/adb', { params: { path: { name } }, body }))).adb;
    },
    onSuccess: onEnabled,
  });
  const { at, rest } = fieldErrors(enable.error, ['allow', 'lifetime_s']);
  const makesCode = relay.enabled && allowed.length > 0;
  return (
    <Card
      badge={!relay.enabled && <StatusBadge state="off" />}
      title={makesCode ? 'New login code' : relay.enabled ? 'Change how adb connects' : 'Use your own adb'}
      description={
        relay.enabled
          ? 'Ends the connections that there are. You can change the ways, the addresses and the time with it.'
          : 'Install apps, copy files and open a shell with adb on your machine.'
      }
    >
      <Form onSubmit={() => enable.mutate()} error={enable.error} className={forms.fields}>
        <Checkbox
          label="Through this service, with the program cloudphone"
          description="No port is opened, and no code is needed."
          checked={tunnel}
          onChange={(event) => setTunnel(event.currentTarget.checked)}
        />
        <Textarea
          label="Addresses that may connect to a port"
          description="For an adb without the program: up to 20, one on each line. Ranges such as 203.0.113.0/24 are possible. They hold for the program too."
          autosize
          minRows={2}
          value={allow}
          onChange={(event) => setAllow(event.currentTarget.value)}
          error={at.allow}
          spellCheck={false}
        />
        {ownAddress !== undefined && !allowed.includes(ownAddress) && (
          <div>
            <Button
              variant="default"
              size="compact-sm"
              leftSection={<Plus size={14} aria-hidden />}
              onClick={() => setAllow([...allowed, ownAddress].join('\n'))}
            >
              Add my address, {ownAddress}
            </Button>
          </div>
        )}
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
          <Button type="submit" loading={enable.isPending} disabled={allowed.length === 0 && !tunnel}>
            {makesCode ? 'Make a new code' : relay.enabled ? 'Change it' : 'Turn on ADB'}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
