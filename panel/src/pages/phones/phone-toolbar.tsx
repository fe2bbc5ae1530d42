import { SegmentedControl, Select } from '@mantine/core';
import type { Device } from '../../api/client.ts';
import { labelTexts } from '../../parts/labels.tsx';
import { PhoneSearch } from '../../parts/phone-search.tsx';
import { type PhoneFilters, SORTS, WITH_PROBLEM } from './phone-filters.ts';
import classes from './phones.module.css';

interface Props {
  devices: readonly Device[];
  filters: PhoneFilters;
  onChange: (change: Partial<PhoneFilters>) => void;
}

/** Search, filters, order, and the choice between cards and a table. */
export function PhoneToolbar({ devices, filters: { search, state, label, sort, as }, onChange }: Props) {
  const states = [...new Set([...devices.map((device) => device.state), ...(state === '' ? [] : [state])])];
  const labels = [
    ...new Set([...devices.flatMap((device) => labelTexts(device.labels)), ...(label === '' ? [] : [label])]),
  ].sort();
  const hasProblems = devices.some(({ problem }) => problem !== undefined) && !states.includes(WITH_PROBLEM);
  return (
    <div className={classes.toolbar}>
      <PhoneSearch by="Name, model, label, country" value={search} onChange={(value) => onChange({ search: value })} />
      <Select
        aria-label="State"
        placeholder="Any state"
        data={[...states.sort(), ...(hasProblems ? [WITH_PROBLEM] : [])]}
        value={state === '' ? null : state}
        onChange={(value) => onChange({ state: value ?? '' })}
        clearable
      />
      {labels.length > 0 && (
        <Select
          aria-label="Label"
          placeholder="Any label"
          data={labels}
          value={label === '' ? null : label}
          onChange={(value) => onChange({ label: value ?? '' })}
          clearable
          searchable
        />
      )}
      <Select
        aria-label="Order"
        data={SORTS}
        value={sort}
        onChange={(value) => value !== null && onChange({ sort: value })}
        allowDeselect={false}
      />
      <SegmentedControl
        aria-label="Show as"
        data={[
          { value: 'cards', label: 'Cards' },
          { value: 'table', label: 'Table' },
        ]}
        value={as}
        onChange={(value) => onChange({ as: value })}
      />
    </div>
  );
}
