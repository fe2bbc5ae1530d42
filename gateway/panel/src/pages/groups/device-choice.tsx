import { Button, Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { devicesQuery } from '../../api/devices.ts';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import forms from '../forms.module.css';

interface Props {
  value: readonly string[];
  onChange: (devices: string[]) => void;
}

/** The phones that something is done with. Those that were chosen and are gone are shown too, to be taken off. */
export function DeviceChoice({ value, onChange }: Props) {
  const { data: devices, error } = useQuery(devicesQuery);
  const names = devices?.map(({ name }) => name) ?? [];
  const gone = devices === undefined ? [] : value.filter((name) => !names.includes(name));
  const all = [...names, ...gone];
  return (
    <div>
      <ErrorAlert error={error} />
      {devices?.length === 0 && <p className={forms.quiet}>There are no phones yet.</p>}
      <Checkbox.Group value={[...value]} onChange={onChange} aria-label="Phones">
        <div className={forms.choices}>
          {all.map((name) => (
            <Checkbox key={name} value={name} label={gone.includes(name) ? `${name} (gone)` : name} />
          ))}
        </div>
      </Checkbox.Group>
      {names.length > 1 && (
        <Button
          size="compact-sm"
          variant="subtle"
          mt="xs"
          onClick={() => onChange(value.length === names.length ? [] : names)}
        >
          {value.length === names.length ? 'Choose none' : `Choose all ${names.length}`}
        </Button>
      )}
    </div>
  );
}
