import { Button, Group, Select } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Device, take } from '../../api/client.ts';
import { useJobs } from '../../api/jobs.tsx';
import { useAppChoices } from '../../api/use-app-choices.ts';
import { holdOf } from '../../parts/hold.ts';
import { ConfirmByName } from '../../parts/confirm-by-name.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Form } from '../../parts/form.tsx';
import { phoneCount } from '../../parts/phone-count.ts';
import { type PhoneStep, useGroupRun } from './use-group-run.ts';

/** The actions on several phones at the same time. Each change is a group, so that its progress is seen in one place. */
export function BulkActions({ devices }: { devices: readonly Device[] }) {
  const run = useGroupRun();
  const [asked, setAsked] = useState<'install' | 'delete'>();
  const close = (): void => setAsked(undefined);
  // Phones that a lease or a pool holds refuse every change.
  const free = devices.filter((device) => holdOf(device) === undefined);
  const idle = free.filter(({ job }) => job === undefined);
  const off = idle.filter(({ state }) => state === 'stopped' || state === 'failed');
  const on = idle.filter(({ state }) => state === 'running');
  const button = (word: string, step: PhoneStep, phones: readonly Device[]) => (
    <Button
      size="compact-sm"
      variant="default"
      disabled={phones.length === 0}
      loading={run.isPending}
      onClick={() => run.mutate({ word, step, names: phones.map(({ name }) => name) })}
    >
      {phones.length === 0 ? word : `${word} ${phones.length}`}
    </Button>
  );
  return (
    <Group gap="xs" role="group" aria-label="Change the chosen phones">
      {button('Start', { start: {} }, off)}
      {button('Stop', { stop: {} }, on)}
      {button('Restart', { restart: {} }, on)}
      <Button size="compact-sm" variant="default" disabled={on.length === 0} onClick={() => setAsked('install')}>
        Install an app…
      </Button>
      <Button
        size="compact-sm"
        color="red"
        variant="light"
        disabled={free.length === 0}
        onClick={() => setAsked('delete')}
      >
        Delete {free.length}…
      </Button>
      <Dialog opened={run.isError} onClose={run.reset} title="The phones were not changed">
        <ErrorAlert error={run.error} />
      </Dialog>
      <Dialog opened={asked === 'install'} onClose={close} title={`Install an app on ${phoneCount(on.length)}`}>
        <InstallForm
          onInstall={(app) => {
            close();
            run.mutate({ word: `Install ${app} on`, step: { install: { app } }, names: on.map(({ name }) => name) });
          }}
        />
      </Dialog>
      <DeleteDialog devices={free} isOpen={asked === 'delete'} onClose={close} />
    </Group>
  );
}

function InstallForm({ onInstall }: { onInstall: (app: string) => void }) {
  const [app, setApp] = useState<string | null>(null);
  const choices = useAppChoices();
  return (
    <Form onSubmit={() => app !== null && onInstall(app)}>
      <Select
        label="App of the library or the catalogue"
        data={choices}
        nothingFoundMessage="No such app. Upload yours in the app library."
        value={app}
        onChange={setApp}
        searchable
        required
        mb="md"
      />
      <Button type="submit" disabled={app === null}>
        Install
      </Button>
    </Form>
  );
}

/** Deletes phones. A deletion is no step of a group, so phones are deleted by one request after the other; the first refusal ends them. */
function DeleteDialog({
  devices,
  isOpen,
  onClose,
}: {
  devices: readonly Device[];
  isOpen: boolean;
  onClose: () => void;
}) {
  const { follow } = useJobs();
  const count = phoneCount(devices.length);
  const remove = useMutation({
    mutationFn: async () => {
      for (const { name } of devices) {
        const { job } = await take(api.DELETE('/v1/devices/{name}', { params: { path: { name } } }));
        void follow(job, `Deleting ${name}`);
      }
    },
    onSuccess: onClose,
  });
  return (
    <ConfirmByName
      opened={isOpen}
      onClose={onClose}
      title={`Delete ${count}?`}
      name={`delete ${devices.length}`}
      confirmLabel={`Delete ${count}`}
      onConfirm={() => remove.mutate()}
      isPending={remove.isPending}
      error={remove.error}
    >
      {devices.map(({ name }) => name).join(', ')}: these phones, everything on them and their snapshots will be gone
      for good.
    </ConfirmByName>
  );
}
