import { Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { allOf } from '../../api/all-of.ts';
import { devicesQuery } from '../../api/devices.ts';
import forms from '../../parts/forms.module.css';
import type { AuditFilter } from './audit-query.ts';

interface Props {
  filter: AuditFilter;
  onChange: (part: Partial<AuditFilter>) => void;
}

/** Fetches who can be chosen: the members and the keys that the account has now. */
async function actorsNow() {
  const [members, keys] = await Promise.all([allOf('/v1/account/members', 'members'), allOf('/v1/keys', 'keys')]);
  return [
    { group: 'Members', items: members.map(({ id, email }) => ({ value: id, label: email })) },
    { group: 'API keys', items: keys.map(({ id, name }) => ({ value: id, label: name })) },
  ];
}

/** Chooses which entries are shown. */
export function AuditFilters({ filter: { from, to, actor, action, device }, onChange }: Props) {
  const { data: devices = [] } = useQuery(devicesQuery);
  const { data: actors = [] } = useQuery({ queryKey: ['actors'], queryFn: actorsNow });
  const names = devices.map(({ name }) => name);
  return (
    <div className={forms.pair}>
      <TextInput
        type="date"
        label="From"
        value={from}
        onChange={({ currentTarget }) => onChange({ from: currentTarget.value })}
      />
      <TextInput
        type="date"
        label="To"
        value={to}
        onChange={({ currentTarget }) => onChange({ to: currentTarget.value })}
      />
      <Select
        label="Who"
        placeholder="Everybody"
        data={actors}
        value={actor === '' ? null : actor}
        onChange={(value) => onChange({ actor: value ?? '' })}
        clearable
        searchable
      />
      <TextInput
        label="Call"
        placeholder="DeviceService.DeleteDevice"
        value={action}
        onChange={({ currentTarget }) => onChange({ action: currentTarget.value })}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
      />
      <Select
        label="Phone"
        placeholder="All phones"
        data={names}
        value={device === '' ? null : device}
        onChange={(value) => onChange({ device: value ?? '' })}
        clearable
        searchable
      />
    </div>
  );
}
