import { Button, Group, Select, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, type Device, type Schemas, take } from '../../../api/client.ts';
import { fieldErrors } from '../../../api/field-errors.ts';
import { Card } from '../../../parts/card.tsx';
import { ErrorAlert } from '../../../parts/error-alert.tsx';
import { Form } from '../../../parts/form.tsx';
import forms from '../../../parts/forms.module.css';
import { numbersOf } from './condition-fields.ts';

export type Word = keyof Schemas['Conditions'];
export type Texts = Readonly<Record<string, string>>;

interface Props {
  device: Device;
  word: Word;
  title: string;
  description: string;
  /** What is set: by its name in the API, as the person types it. */
  first: Texts;
  fields: readonly { name: string; label: string; description?: string }[];
  presets: readonly { label: string; texts: Texts }[];
  /** Of the member, beside the numbers. */
  more?: Readonly<Record<string, boolean>>;
  children?: ReactNode;
}

/** The form of one condition: numbers, with the API's errors beside them, and the way back to the phone's own. */
export function ConditionCard({ device, word, title, description, first, fields, presets, more, children }: Props) {
  const client = useQueryClient();
  const [texts, setTexts] = useState(first);
  const [isTried, setTried] = useState(false);
  const { name } = device;
  const change = useMutation({
    mutationFn: (member: Record<string, number | boolean>) =>
      take(api.PATCH('/v1/devices/{name}/conditions', { params: { path: { name } }, body: { [word]: member } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['devices', name] }),
  });
  const { numbers, faults } = numbersOf(fields, texts);
  const { at, rest } = fieldErrors(
    change.error,
    fields.map((field) => `${word}.${field.name}`),
  );
  const write = (part: Texts): void => {
    setTexts(part);
    setTried(false);
    change.reset();
  };
  const submit = (): void => {
    setTried(true);
    if (Object.keys(faults).length === 0) change.mutate({ ...numbers, ...more });
  };
  const isSet = device.conditions?.[word] !== undefined;
  return (
    <Card title={title} description={description}>
      <Form onSubmit={submit} error={change.error} className={forms.fields}>
        <Select
          label="Begin with"
          placeholder="Own values"
          data={presets.map(({ label }) => label)}
          value={
            presets.find((preset) => fields.every((one) => (preset.texts[one.name] ?? '') === (texts[one.name] ?? '')))
              ?.label ?? null
          }
          onChange={(label) => {
            const preset = presets.find((one) => one.label === label);
            if (preset !== undefined) write(preset.texts);
          }}
        />
        <div className={forms.pair}>
          {fields.map((field) => (
            <TextInput
              key={field.name}
              label={field.label}
              description={field.description}
              inputMode="decimal"
              autoComplete="off"
              value={texts[field.name] ?? ''}
              onChange={({ currentTarget }) => write({ ...texts, [field.name]: currentTarget.value })}
              error={(isTried ? faults[field.name] : undefined) ?? at[`${word}.${field.name}`]}
            />
          ))}
        </div>
        {children}
        <ErrorAlert error={rest} />
        <Group gap="sm">
          <Button type="submit" loading={change.isPending} disabled={device.job !== undefined}>
            Use for this phone
          </Button>
          <Button
            variant="default"
            disabled={!isSet || change.isPending || device.job !== undefined}
            onClick={() => {
              write({});
              change.mutate({});
            }}
          >
            Back to its own
          </Button>
          <span className={forms.quiet} role="status">
            {isSet ? 'Set for this phone' : "The phone's own"}
          </span>
        </Group>
      </Form>
    </Card>
  );
}
