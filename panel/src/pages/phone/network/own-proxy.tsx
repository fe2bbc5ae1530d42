import { Alert, Button, Group, PasswordInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Device, type Schemas, take } from '../../../api/client.ts';
import { fieldErrors } from '../../../api/field-errors.ts';
import { useJobs } from '../../../api/jobs.tsx';
import { Card } from '../../../parts/card.tsx';
import { ErrorAlert } from '../../../parts/error-alert.tsx';
import { countryName } from '../../../parts/exit-fields.tsx';
import { Form } from '../../../parts/form.tsx';
import forms from '../../../parts/forms.module.css';

type Check = Schemas['CheckProxyResult'];

/** Sets a proxy of the customer as the phone's exit. It can be tested before. */
export function OwnProxy({ device: { name, job } }: { device: Device }) {
  const { follow } = useJobs();
  const [proxy, setProxy] = useState('');
  const check = useMutation({ mutationFn: () => take(api.POST('/v1/network/check', { body: { proxy } })) });
  const use = useMutation({
    mutationFn: () => take(api.POST('/v1/devices/{name}/network', { params: { path: { name } }, body: { proxy } })),
    onSuccess: ({ job: started }) => {
      setProxy('');
      check.reset();
      void follow(started, `Own proxy for ${name}`);
    },
  });
  const error = check.error ?? use.error;
  const { at, rest } = fieldErrors(error, ['proxy']);
  return (
    <Card
      title="Your own proxy"
      description="The phone's whole traffic goes through it. It is kept secret and never shown again."
    >
      <Form onSubmit={() => check.mutate()} error={error} className={forms.fields}>
        <PasswordInput
          label="Proxy"
          description="http, https or socks5"
          placeholder="socks5://user:password@proxy.example.com:1080"
          value={proxy}
          onChange={(event) => setProxy(event.currentTarget.value)}
          error={at.proxy}
          aria-invalid={at.proxy !== undefined}
          autoComplete="off"
          spellCheck={false}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the proxy', tabIndex: 0 }}
        />
        {check.data !== undefined && <Result check={check.data} />}
        <ErrorAlert error={rest} />
        <Group gap="sm">
          <Button type="submit" variant="default" disabled={proxy === ''} loading={check.isPending}>
            Test it
          </Button>
          <Button disabled={proxy === '' || job !== undefined} loading={use.isPending} onClick={() => use.mutate()}>
            Use this proxy
          </Button>
        </Group>
      </Form>
    </Card>
  );
}

function Result({ check: { ok, address, country, latency_ms, reason } }: { check: Check }) {
  const seen = [
    address,
    country === undefined ? undefined : countryName(country),
    latency_ms === undefined ? undefined : `${latency_ms} ms`,
  ];
  return (
    <Alert color={ok ? 'green' : 'red'} variant="light" role="status">
      <span className={forms.result}>
        {ok ? `It works: ${seen.filter((part) => part !== undefined).join(', ')}` : `It does not work: ${reason ?? ''}`}
      </span>
    </Alert>
  );
}
