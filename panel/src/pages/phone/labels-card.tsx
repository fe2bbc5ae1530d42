import { Button, CloseButton, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Device, take } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Form } from '../../parts/form.tsx';
import classes from './phone.module.css';

/** The labels of a phone, to find it by: added as `key:value`, and taken off. */
export function LabelsCard({ device: { name, labels } }: { device: Device }) {
  const [typed, setTyped] = useState('');
  const client = useQueryClient();
  const update = useMutation({
    mutationFn: (changed: Record<string, string>) =>
      take(api.PATCH('/v1/devices/{name}', { params: { path: { name } }, body: { labels: changed } })),
    onSuccess: () => {
      setTyped('');
      return client.invalidateQueries({ queryKey: ['devices'] });
    },
  });
  const add = (): void => {
    const [key = '', ...value] = typed.trim().split(':');
    update.mutate({ [key]: value.join(':') });
  };
  return (
    <Card title="Labels" description="Find phones by them in the list, and in the API by ?label=team:qa.">
      <ul className={classes.labels} aria-label="Labels">
        {Object.entries(labels).map(([key, value]) => (
          <li key={key}>
            {key}:{value}
            <CloseButton
              size="xs"
              aria-label={`Remove the label ${key}`}
              onClick={() => update.mutate({ [key]: '' })}
            />
          </li>
        ))}
      </ul>
      <Form onSubmit={add} className={classes.addLabel}>
        <TextInput
          aria-label="New label"
          placeholder="team:qa"
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          pattern="[a-z0-9][a-z0-9_.\-]{0,62}:.{1,63}"
          title="A key of a-z, 0-9, _, . and -, a colon, and a value: team:qa"
          maxLength={127}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          required
        />
        <Button type="submit" variant="default" loading={update.isPending}>
          Add
        </Button>
      </Form>
      <ErrorAlert error={update.error} />
    </Card>
  );
}
