import { Select, TextInput } from '@mantine/core';
import forms from '../parts/forms.module.css';

export interface RunChoice {
  /** The number of phones at the same time. NaN while the field is empty; it is not sent then. */
  concurrency: number;
  on_error: 'stop' | 'continue';
}

/** The fields for how a group runs. */
export function RunFields({
  value,
  onChange,
  error,
}: {
  value: RunChoice;
  onChange: (value: RunChoice) => void;
  /** The error of the number of phones. */
  error: string | undefined;
}) {
  return (
    <div className={forms.pair}>
      <TextInput
        type="number"
        label="Phones at the same time"
        min={1}
        max={50}
        required
        withAsterisk={false}
        value={Number.isNaN(value.concurrency) ? '' : value.concurrency}
        onChange={({ currentTarget }) => onChange({ ...value, concurrency: currentTarget.valueAsNumber })}
        error={error}
      />
      <Select
        label="When a step fails on a phone"
        data={[
          { value: 'stop', label: 'Don’t start further phones' },
          { value: 'continue', label: 'Continue with the others' },
        ]}
        value={value.on_error}
        onChange={(on_error) => onChange({ ...value, on_error: on_error === 'continue' ? 'continue' : 'stop' })}
        allowDeselect={false}
      />
    </div>
  );
}
