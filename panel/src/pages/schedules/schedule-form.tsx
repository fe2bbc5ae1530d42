import { Button, Checkbox, Select, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { fieldErrors } from '../../api/field-errors.ts';
import { Card } from '../../parts/card.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Form } from '../../parts/form.tsx';
import forms from '../../parts/forms.module.css';
import { DeviceChoice } from '../../parts/device-choice.tsx';
import { type RunChoice, RunFields } from '../../steps/run-fields.tsx';
import { StepFields } from '../../steps/step-fields.tsx';
import type { Draft } from '../../steps/steps.ts';
import { type Day, DAYS } from './schedules-query.ts';

/** A schedule while it is edited. */
export interface ScheduleDraft extends RunChoice {
  devices: string[];
  days: Day[];
  time: string;
  timezone: string;
  drafts: Draft[];
}

interface Props {
  first: ScheduleDraft;
  onSubmit: (draft: ScheduleDraft) => void;
  submitLabel: string;
  isPending: boolean;
  error: Error | null;
  /** Content beside the button. */
  children?: ReactNode;
}

const TIMEZONES = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];

export function ScheduleForm({ first, onSubmit, submitLabel, isPending, error, children }: Props) {
  const [draft, setDraft] = useState(first);
  const change = (part: Partial<ScheduleDraft>): void => setDraft({ ...draft, ...part });
  const { at, rest } = fieldErrors(error, ['days', 'time', 'timezone', 'concurrency']);
  return (
    <Form onSubmit={() => onSubmit(draft)} error={error} className={`${forms.fields} ${forms.narrow}`}>
      <Card title="When">
        <div className={forms.fields}>
          <Checkbox.Group label="Days" value={draft.days} onChange={(days) => change({ days })} error={at.days}>
            <div className={forms.choices}>
              {DAYS.map(({ value, label }) => (
                <Checkbox key={value} value={value} label={label} />
              ))}
            </div>
          </Checkbox.Group>
          <div className={forms.pair}>
            <TextInput
              type="time"
              label="Time"
              value={draft.time}
              onChange={({ currentTarget }) => change({ time: currentTarget.value })}
              error={at.time}
              required
            />
            <Select
              label="Time zone"
              data={TIMEZONES}
              value={draft.timezone}
              onChange={(timezone) => timezone !== null && change({ timezone })}
              error={at.timezone}
              limit={100}
              searchable
              allowDeselect={false}
            />
          </div>
        </div>
      </Card>
      <Card title="Phones">
        <DeviceChoice value={draft.devices} onChange={(devices) => change({ devices })} />
      </Card>
      <Card title="Steps" description="Each phone performs them in this order.">
        <StepFields drafts={draft.drafts} onChange={(drafts) => change({ drafts })} />
      </Card>
      <Card title="Run">
        <RunFields value={draft} onChange={(run) => change(run)} error={at.concurrency} />
      </Card>
      <ErrorAlert error={rest} />
      <div className={forms.end}>
        {children}
        <Button type="submit" loading={isPending} disabled={draft.devices.length === 0 || draft.days.length === 0}>
          {submitLabel}
        </Button>
      </div>
    </Form>
  );
}
