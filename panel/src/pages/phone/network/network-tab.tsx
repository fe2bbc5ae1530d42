import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Device, take } from '../../../api/client.ts';
import { useJobs } from '../../../api/jobs.tsx';
import { exitsQuery } from '../../../api/offers.ts';
import { Card } from '../../../parts/card.tsx';
import { ErrorAlert } from '../../../parts/error-alert.tsx';
import { Facts } from '../../../parts/facts.tsx';
import {
  countryName,
  EXIT_NAMES,
  ExitFields,
  firstExit,
  type ExitChoice,
  exitsOf,
  type NetworkOption,
} from '../../../parts/exit-fields.tsx';
import { Fetched } from '../../../parts/fetched.tsx';
import forms from '../../../parts/forms.module.css';
import { OwnProxy } from './own-proxy.tsx';

/** The network exit of a phone, and how to change it. */
export default function NetworkTab({ device }: { device: Device }) {
  const exits = useQuery(exitsQuery);
  return (
    <>
      <CurrentExit device={device} exits={exitsOf(exits.data ?? [], device.driver)} />
      <Fetched query={exits} what="the networks">
        {(options) => <ChangeExit device={device} exits={exitsOf(options, device.driver)} />}
      </Fetched>
      <OwnProxy device={device} />
    </>
  );
}

function CurrentExit({ device: { name, exit, job }, exits }: { device: Device; exits: readonly NetworkOption[] }) {
  const { follow } = useJobs();
  const rotate = useMutation({
    mutationFn: () => take(api.POST('/v1/devices/{name}/network/rotate', { params: { path: { name } } })),
    onSuccess: ({ job: started }) => void follow(started, `New address for ${name}`),
  });
  const canRotate = exits.some(
    ({ type, country, rotates }) => rotates && type === exit.type && country === exit.country,
  );
  return (
    <Card
      title="Current network"
      actions={
        <Button
          variant="default"
          size="compact-sm"
          disabled={!canRotate || job !== undefined}
          loading={rotate.isPending}
          onClick={() => rotate.mutate()}
        >
          New address
        </Button>
      }
    >
      <Facts
        facts={[
          ['Network', `${EXIT_NAMES[exit.type] ?? exit.type}, ${countryName(exit.country)}`],
          ['Address', exit.address ?? 'not known'],
          ['Time zone', exit.timezone],
        ]}
      />
      <ErrorAlert error={rotate.error} />
    </Card>
  );
}

function ChangeExit({ device: { name, exit, job }, exits }: { device: Device; exits: readonly NetworkOption[] }) {
  const { follow } = useJobs();
  const [choice, setChoice] = useState<ExitChoice | undefined>(() => {
    const same = exits.find(({ type, country }) => type === exit.type && country === exit.country);
    return firstExit(same === undefined ? exits : [same]);
  });
  const change = useMutation({
    mutationFn: (body: ExitChoice) =>
      take(api.POST('/v1/devices/{name}/network', { params: { path: { name } }, body })),
    onSuccess: ({ job: started }) => void follow(started, `New network for ${name}`),
  });
  if (choice === undefined) return null;
  return (
    <Card
      title="Change the network"
      description="The new one is tried first; one that does not work leaves the phone as it is."
    >
      <div className={forms.fields}>
        <ExitFields exits={exits} value={choice} onChange={setChoice} />
        <ErrorAlert error={change.error} />
        <div>
          <Button disabled={job !== undefined} loading={change.isPending} onClick={() => change.mutate(choice)}>
            Use this network
          </Button>
        </div>
      </div>
    </Card>
  );
}
