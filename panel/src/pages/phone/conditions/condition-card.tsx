import { Button, Group, Select, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, type Device, type Schemas, take } from '../../../api/client.ts';
import { fieldErrors } from '../../../api/field-errors.ts';
import { Card } from '../../../parts/card.tsx';
import { ErrorAlert } from '../../../parts/error-alert.tsx';
import { Form } from '../../../parts/form.tsx';
import forms from '../../../parts/forms.module.css';

export type Word = keyof Schemas['Conditions'];
export type Texts = Readonly<Record<string, string>>;

interface Props {
  device: Device;
  word: Word;
  title: string;
  description: string;
  /** The set numbers by their names in the API, as a person types them. */
  first: Texts;
  fields: readonly { name: string; label: string; description?: string }[];
  presets: readonly { label: string; texts: Texts }[];
  /** Further fields of the member in the API, in addition to the numbers. */
  more?: Readonly<Record<string, boolean>>;
  children?: ReactNode;
}

/** The form of one condition: numbers, with the API's errors beside them, and a button that returns to the phone's own condition. */
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
          label="Add a preset"
          placeholder="None"
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
            Reset
          </Button>
          <span className={forms.quiet} role="status">
            {isSet ? 'Changed for this phone' : 'As the phone itself has it'}
          </span>
        </Group>
      </Form>
    </Card>
  );
}

/** Returns the numbers that were typed, and the errors of texts that are no numbers. Empty fields are left out. */
function numbersOf(
  fields: readonly { name: string }[],
  texts: Texts,
): { numbers: Record<string, number>; faults: Record<string, string> } {
  const numbers: Record<string, number> = {};
  const faults: Record<string, string> = {};
  for (const { name } of fields) {
    const text = (texts[name] ?? '').trim().replace(',', '.');
    if (text === '') continue;
    const number = Number(text);
    if (Number.isFinite(number)) numbers[name] = number;
    else faults[name] = 'Type a number';
  }
  return { numbers, faults };
}
