import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import KeyRound from 'lucide-react/icons/key-round';
import Plus from 'lucide-react/icons/plus';
import { Link } from 'wouter';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import { Labels } from '../../parts/labels.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Moment } from '../../parts/time.tsx';
import forms from '../../parts/forms.module.css';
import { someNames } from '../../parts/phone-count.ts';
import { seenPhonesOf, seenWords } from '../../parts/seen-phones.ts';
import { type ApiKey, keysQuery } from './keys-query.ts';

const COLUMNS: readonly Column<ApiKey>[] = [
  {
    label: 'Name',
    cell: ({ name, labels }) => (
      <>
        {name}
        <Labels of={name} labels={labels} />
      </>
    ),
    wraps: true,
  },
  { label: 'Key', cell: ({ prefix }) => <code>{prefix}…</code> },
  { label: 'Scope', cell: ({ scope }) => scope },
  { label: 'Phones', cell: (key) => seenWords(seenPhonesOf(key)), wraps: true },
  { label: 'Limits', cell: limitsOf, wraps: true },
  { label: 'Webhook', cell: ({ webhook_url }) => webhook_url ?? '', wraps: true },
  {
    label: 'Last used',
    cell: ({ last_used_at: at, last_used_address: address }) =>
      at === undefined ? (
        'never'
      ) : (
        <>
          <Moment at={at} />
          {address !== undefined && <div className={forms.quiet}>from {address}</div>}
        </>
      ),
  },
  {
    label: '',
    cell: ({ id, name }) => (
      <Button
        component={Link}
        href={`/settings/keys/${id}`}
        size="compact-sm"
        variant="default"
        aria-label={`Edit ${name}`}
      >
        Edit
      </Button>
    ),
  },
];

/** What limits a key besides its scope and phones. */
function limitsOf({ expires_at: expiresAt, allow, requests_per_minute: most }: ApiKey) {
  const isOver = expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();
  return (
    <>
      {expiresAt !== undefined && (
        <div>
          {isOver ? 'expired' : 'until'} <Moment at={expiresAt} />
        </div>
      )}
      {allow.length > 0 && <div>from {someNames(allow)}</div>}
      {most !== undefined && <div>{most} requests a minute</div>}
    </>
  );
}

/** The API keys of the account. */
export default function KeysPage() {
  const query = useQuery(keysQuery);
  const create = (
    <Button component={Link} href="/settings/keys/new" leftSection={<Plus size={16} />}>
      Create an API key
    </Button>
  );
  return (
    <>
      <PageHeader
        title="API keys"
        description="Programs use the API with a key. Its text is shown once, when it is created."
        actions={query.data?.length !== 0 && create}
      />
      <Fetched query={query} what="keys">
        {(keys) => (
          <DataTable
            caption="API keys"
            columns={COLUMNS}
            rows={keys}
            keyOf={({ id }) => id}
            empty={
              <EmptyState title="No keys" icon={KeyRound} action={create}>
                A key lets a script or an agent use your phones; how much, and which of them, is up to you.
              </EmptyState>
            }
          />
        )}
      </Fetched>
    </>
  );
}
