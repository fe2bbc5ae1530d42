import { Button, Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Device } from '../api/client.ts';
import { devicesQuery } from '../api/devices.ts';
import { Fetched } from './fetched.tsx';
import forms from './forms.module.css';
import { PhoneSearch } from './phone-search.tsx';

/** From how many phones on they can be searched by name. */
const MANY_PHONES = 12;

interface Props {
  value: readonly string[];
  onChange: (devices: string[]) => void;
  /** Which phones can be chosen. Absent: all. */
  isOffered?: (device: Device) => boolean;
  /** In place of the choice when there are no such phones. */
  none?: string;
}

/** Checkboxes for phones. Chosen ones that are not offered any more are shown too, so that they can be taken off. */
export function DeviceChoice({ value, onChange, isOffered = () => true, none = 'There are no phones yet.' }: Props) {
  const query = useQuery(devicesQuery);
  const [search, setSearch] = useState('');
  return (
    <Fetched query={query} what="phones">
      {(devices) => {
        const offered = devices.filter(isOffered).map(({ name }) => name);
        const gone = value.filter((name) => !offered.includes(name));
        const all = [...offered, ...gone];
        const found = all.filter((name) => name.includes(search.trim().toLowerCase()));
        const isAll = found.every((name) => value.includes(name));
        const others = value.filter((name) => !found.includes(name));
        if (all.length === 0) return <p className={forms.quiet}>{none}</p>;
        return (
          <>
            {all.length > MANY_PHONES && <PhoneSearch by="Search by name" value={search} onChange={setSearch} />}
            <Checkbox.Group value={[...value]} onChange={onChange} aria-label="Phones">
              <div className={`${forms.choices} ${forms.scrolls}`}>
                {found.map((name) => (
                  <Checkbox key={name} value={name} label={gone.includes(name) ? `${name} (gone)` : name} />
                ))}
              </div>
            </Checkbox.Group>
            {found.length > 1 && (
              <Button
                size="compact-sm"
                variant="subtle"
                mt="xs"
                onClick={() => onChange(isAll ? others : [...others, ...found])}
              >
                {isAll ? 'Choose none' : `Choose all ${found.length}`}
              </Button>
            )}
          </>
        );
      }}
    </Fetched>
  );
}
