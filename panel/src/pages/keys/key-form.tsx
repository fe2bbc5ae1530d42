import { Button, Input, Radio, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { fieldErrors } from '../../api/field-errors.ts';
import { Card } from '../../parts/card.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Form } from '../../parts/form.tsx';
import forms from '../../parts/forms.module.css';
import { LabelField } from '../../parts/label-field.tsx';
import { withLabel } from '../../parts/labels.tsx';
import { isComplete } from '../../parts/seen-phones.ts';
import { SeenPhonesField } from '../../parts/seen-phones-field.tsx';
import type { KeyDraft } from './key-draft.ts';
import { KeyLimits } from './key-limits.tsx';

interface Props {
  draft: KeyDraft;
  onChange: (part: Partial<KeyDraft>) => void;
  onSubmit: () => void;
  submitLabel: string;
  isPending: boolean;
  error: Error | null;
  /** Content beside the button. */
  children?: ReactNode;
}

export function KeyForm({ draft, onChange, onSubmit, submitLabel, isPending, error, children }: Props) {
  const changeLabel = (key: string, value: string): boolean => {
    onChange({ labels: withLabel(draft.labels, key, value) });
    return true;
  };
  const { at, rest } = fieldErrors(error, [
    ...(['name', 'webhook_url', 'labels', 'devices', 'expires_at', 'allow', 'requests_per_minute'] as const),
  ]);
  return (
    <Form error={error} onSubmit={onSubmit} className={`${forms.fields} ${forms.narrow}`}>
      <Card title="Key">
        <div className={forms.fields}>
          <TextInput
            label="Name"
            description="The program that uses it, such as ci"
            value={draft.name}
            onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
            error={at.name}
            maxLength={100}
            autoComplete="off"
            required
          />
          <Radio.Group
            label="Scope"
            value={draft.scope}
            onChange={(scope) => onChange({ scope: scope === 'read' ? 'read' : 'control' })}
          >
            <div className={forms.choices}>
              <Radio value="control" label="Control: may do everything with its phones" />
              <Radio value="read" label="Read: may look, and change nothing" />
            </div>
          </Radio.Group>
          <Input.Wrapper label="Labels" labelElement="div">
            <LabelField labels={draft.labels} onChange={changeLabel} error={at.labels} />
          </Input.Wrapper>
        </div>
      </Card>
      <Card title="Phones" description="It sees these, and those that it creates or clones itself.">
        <SeenPhonesField value={draft.seen} onChange={(seen) => onChange({ seen })} error={at.devices} />
      </Card>
      <KeyLimits draft={draft} onChange={onChange} at={at} />
      <Card title="Webhook" description="Finished jobs and problems of its phones are sent there, signed.">
        <TextInput
          label="URL"
          placeholder="https://hooks.example.com/phones"
          value={draft.webhookUrl}
          onChange={({ currentTarget }) => onChange({ webhookUrl: currentTarget.value })}
          error={at.webhook_url}
          type="url"
          autoComplete="off"
          spellCheck={false}
        />
      </Card>
      <ErrorAlert error={rest} />
      <div className={forms.end}>
        {children}
        <Button type="submit" loading={isPending} disabled={!isComplete(draft.seen)}>
          {submitLabel}
        </Button>
      </div>
    </Form>
  );
}
