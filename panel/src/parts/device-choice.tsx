import { Button, Checkbox, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Device } from '../api/client.ts';
import { devicesQuery } from '../api/devices.ts';
import { byName } from './by-name.ts';
import { Fetched } from './fetched.tsx';
import forms from './forms.module.css';
import { labelTexts } from './labels.tsx';
import { phoneCount } from './phone-count.ts';
import { PhoneSearch } from './phone-search.tsx';

/** From this number of phones on they can be searched by name. */
const MANY_PHONES = 12;

interface Props {
  value: readonly string[];
  onChange: (devices: string[]) => void;
  /** Which phones can be chosen. Absent: all. */
  isOffered?: (device: Device) => boolean;
  /** The text in place of the choice when there are no such phones. */
  none?: string;
}

/** Checkboxes for phones. Chosen phones that are not offered any more are shown too, so that they can be removed. */
export function DeviceChoice({ isOffered = () => true, none = 'There are no phones yet.', ...choice }: Props) {
  const query = useQuery(devicesQuery);
  return (
    <Fetched query={query} what="phones">
      {(devices) => {
        const offered = devices.filter(isOffered).sort((a, b) => byName(a.name, b.name));
        const gone = choice.value.filter((name) => !offered.some((device) => device.name === name));
        if (offered.length + gone.length === 0) return <p className={forms.quiet}>{none}</p>;
        return <Choice {...choice} offered={offered} gone={gone} />;
      }}
    </Fetched>
  );
}

interface ChoiceProps extends Pick<Props, 'value' | 'onChange'> {
  offered: readonly Device[];
  /** Names of chosen phones that are not offered any more. */
  gone: readonly string[];
}

function Choice({ value, onChange, offered, gone }: ChoiceProps) {
  const [search, setSearch] = useState('');
  const [label, setLabel] = useState<string | null>(null);
  const [state, setState] = useState<string | null>(null);
  const labels = [...new Set(offered.flatMap((device) => labelTexts(device.labels)))].sort();
  const states = [...new Set(offered.map((device) => device.state))].sort();
  const wanted = search.trim().toLowerCase();
  const found = offered.filter(
    (device) =>
      device.name.includes(wanted) &&
      (label === null || labelTexts(device.labels).includes(label)) &&
      (state === null || device.state === state),
  );
  const names = [...found.map(({ name }) => name), ...(label === null && state === null ? gone : [])];
  const isAll = names.length > 0 && names.every((name) => value.includes(name));
  const others = value.filter((name) => !names.includes(name));
  return (
    <>
      <div className={forms.filters}>
        {offered.length > MANY_PHONES && <PhoneSearch by="Search by name" value={search} onChange={setSearch} />}
        {labels.length > 0 && (
          <Select
            aria-label="Label of the phones"
            placeholder="Any label"
            data={labels}
            value={label}
            onChange={setLabel}
            clearable
            searchable
          />
        )}
        {(states.length > 1 || state !== null) && (
          <Select
            aria-label="State of the phones"
            placeholder="Any state"
            data={[...new Set([...states, ...(state === null ? [] : [state])])]}
            value={state}
            onChange={setState}
            clearable
          />
        )}
      </div>
      <Checkbox.Group value={[...value]} onChange={onChange} aria-label="Phones">
        <div className={`${forms.columns} ${forms.scrolls}`}>
          {found.map((device) => (
            <Checkbox key={device.name} value={device.name} label={<PhoneLabel device={device} />} />
          ))}
          {names.slice(found.length).map((name) => (
            <Checkbox key={name} value={name} label={`${name} (gone)`} />
          ))}
        </div>
      </Checkbox.Group>
      {names.length === 0 && <p className={forms.quiet}>No phone is like this.</p>}
      <div className={forms.chosen}>
        {names.length > 1 && (
          <Button size="compact-sm" variant="default" onClick={() => onChange(isAll ? others : [...others, ...names])}>
            {isAll ? 'Choose none' : `Choose all ${names.length}`}
          </Button>
        )}
        <span className={forms.quiet} role="status">
          {value.length > 0 &&
            `${phoneCount(value.length)} chosen${others.length > 0 ? `, ${others.length} of them not shown` : ''}`}
        </span>
      </div>
    </>
  );
}

/** A phone's name, with its state where it does not run. */
function PhoneLabel({ device: { name, state } }: { device: Device }) {
  return (
    <>
      {name}
      {state !== 'running' && <span className={forms.quiet}> {state}</span>}
    </>
  );
}
