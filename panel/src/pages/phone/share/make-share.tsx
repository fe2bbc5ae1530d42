import { Button, Radio, Select } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, take } from '../../../api/client.ts';
import { CommandLine } from '../../../parts/command-line.tsx';
import { ErrorAlert } from '../../../parts/error-alert.tsx';
import { Form } from '../../../parts/form.tsx';
import forms from '../../../parts/forms.module.css';
import { sharesQuery, type Share } from './shares-query.ts';

const LIFETIMES = [
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
];

/** Makes a link, and shows it, as the API returns it this once. */
export function MakeShare({ name }: { name: string }) {
  const client = useQueryClient();
  const [access, setAccess] = useState<Share['access']>('read');
  const [lifetime, setLifetime] = useState('3600');
  const make = useMutation({
    mutationFn: () => {
      const body = { access, lifetime_s: Number(lifetime) };
      return take(api.POST('/v1/devices/{name}/shares', { params: { path: { name } }, body }));
    },
    onSuccess: () => client.invalidateQueries({ queryKey: sharesQuery(name).queryKey }),
  });
  const url = make.data?.share.url;
  return (
    <Form onSubmit={() => make.mutate()} className={forms.fields}>
      <Radio.Group
        label="Whoever has the link may"
        value={access}
        onChange={(value) => setAccess(value === 'control' ? 'control' : 'read')}
      >
        <div className={forms.choices}>
          <Radio value="read" label="Watch" />
          <Radio value="control" label="Watch, touch and type" />
        </div>
      </Radio.Group>
      <Select
        label="For"
        data={LIFETIMES}
        value={lifetime}
        onChange={(value) => setLifetime(value ?? '3600')}
        allowDeselect={false}
      />
      <ErrorAlert error={make.error} />
      {url !== undefined && (
        <div role="status">
          <CommandLine text={url} what="the link" />
          <p className={forms.quiet}>Copy it now: it is shown only once. Whoever has it needs no account.</p>
        </div>
      )}
      <div className={forms.end}>
        <Button type="submit" loading={make.isPending}>
          {url === undefined ? 'Make a link' : 'Make another link'}
        </Button>
      </div>
    </Form>
  );
}
