import { Autocomplete, Radio } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { devicesQuery } from '../api/devices.ts';
import { DeviceChoice } from './device-choice.tsx';
import forms from './forms.module.css';
import { ALL_PHONES, isAll, type SeenPhones } from './seen-phones.ts';

interface Props {
  value: SeenPhones;
  onChange: (value: SeenPhones) => void;
  /** Why the API refused the choice. */
  error?: string | undefined;
}

/** Lets a person choose which phones a key or a member sees: all, some by name, or those with a label. */
export function SeenPhonesField({ value, onChange, error }: Props) {
  const { data: devices = [] } = useQuery(devicesQuery);
  const by = 'label' in value ? 'label' : isAll(value) ? 'all' : 'names';
  const labels = [
    ...new Set(devices.flatMap((device) => Object.entries(device.labels).map(([key, text]) => `${key}=${text}`))),
  ].sort();
  const change = (next: string): void => {
    if (next === 'all') onChange(ALL_PHONES);
    else onChange(next === 'label' ? { label: '' } : []);
  };
  return (
    <div className={forms.fields}>
      <Radio.Group aria-label="Which phones" value={by} onChange={change} error={by === 'label' ? undefined : error}>
        <div className={forms.choices}>
          <Radio value="all" label="All phones, future ones too" />
          <Radio value="names" label="Phones that I choose" />
          <Radio value="label" label="Phones with a label" />
        </div>
      </Radio.Group>
      {'label' in value ? (
        <Autocomplete
          label="Label"
          description="Phones that get the label later are included, and those that lose it are not any more."
          placeholder="team=qa"
          data={labels}
          value={value.label}
          onChange={(label) => onChange({ label })}
          error={error}
          maxLength={127}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          required
        />
      ) : (
        !isAll(value) && <DeviceChoice value={value} onChange={onChange} />
      )}
    </div>
  );
}
