import { NumberInput, Select } from '@mantine/core';
import forms from '../forms.module.css';

export interface RunChoice {
  concurrency: number;
  on_error: 'stop' | 'continue';
}

/** How a group runs. */
export function RunFields({ value, onChange }: { value: RunChoice; onChange: (value: RunChoice) => void }) {
  return (
    <div className={forms.pair}>
      <NumberInput
        label="Phones at the same time"
        min={1}
        max={50}
        allowDecimal={false}
        value={value.concurrency}
        onChange={(concurrency) => onChange({ ...value, concurrency: Number(concurrency) })}
      />
      <Select
        label="When a step fails on a phone"
        data={[
          { value: 'stop', label: 'Begin on no further phone' },
          { value: 'continue', label: 'Go on with the others' },
        ]}
        value={value.on_error}
        onChange={(on_error) => onChange({ ...value, on_error: on_error === 'continue' ? 'continue' : 'stop' })}
        allowDeselect={false}
      />
    </div>
  );
}
