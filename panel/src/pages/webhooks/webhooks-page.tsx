import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import Plus from 'lucide-react/icons/plus';
import Webhook from 'lucide-react/icons/webhook';
import { useState } from 'react';
import { Link } from 'wouter';
import { allOf } from '../../api/all-of.ts';
import type { Schemas } from '../../api/client.ts';
import type { Delivery } from '../../deliveries/deliveries-query.ts';
import { DeliveryLog } from '../../deliveries/delivery-log.tsx';
import { STATE_WORDS } from '../../deliveries/outcome-words.ts';
import { TestDelivery } from '../../deliveries/test-delivery.tsx';
import { Card } from '../../parts/card.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import forms from '../../parts/forms.module.css';
import { PageHeader } from '../../parts/page-header.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import classes from './webhooks.module.css';

type ApiKey = Schemas['ApiKey'];

const COLUMNS: readonly Column<ApiKey>[] = [
  { label: 'Key', cell: ({ id, name }) => <TextLink href={`/settings/keys/${id}`}>{name}</TextLink>, wraps: true },
  { label: 'URL', cell: ({ webhook_url }) => webhook_url, wraps: true },
  { label: '', cell: ({ id, name }) => <TestDelivery keyId={id} name={name} /> },
];

/** The webhooks, each of which belongs to a key, and their deliveries. */
export default function WebhooksPage() {
  const query = useQuery({ queryKey: ['keys'], queryFn: () => allOf('/v1/keys', 'keys') });
  const create = (
    <Button component={Link} href="/settings/keys/new" leftSection={<Plus size={16} aria-hidden />}>
      Add a webhook
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Finished jobs and problems of your phones, sent to your own server. A webhook belongs to an API key, and reports the phones of that key."
        actions={query.data !== undefined && query.data.some(hasWebhook) && create}
      />
      <Fetched query={query} what="webhooks">
        {(keys) =>
          keys.some(hasWebhook) ? (
            <Webhooks webhooks={keys.filter(hasWebhook)} />
          ) : (
            <EmptyState
              title="No webhooks yet"
              icon={Webhook}
              action={<First hasKeys={keys.length > 0} create={create} />}
            >
              Give an API key the address of your server: it gets each finished job and each problem of the key’s
              phones, signed, so that it knows that the message is genuine.
            </EmptyState>
          )
        }
      </Fetched>
    </>
  );
}

function First({ hasKeys, create }: { hasKeys: boolean; create: React.ReactNode }) {
  return (
    <div className={classes.first}>
      {create}
      {hasKeys && (
        <Button component={Link} href="/settings/keys" variant="default">
          Choose one of your keys
        </Button>
      )}
    </div>
  );
}

function Webhooks({ webhooks }: { webhooks: readonly ApiKey[] }) {
  const [state, setState] = useState<Delivery['state']>();
  const [keyId, setKeyId] = useState<string>();
  return (
    <div className={forms.fields}>
      <DataTable caption="Webhooks" columns={COLUMNS} rows={webhooks} keyOf={({ id }) => id} />
      <Card title="Deliveries" description="Those of the last 30 days, newest first.">
        <div className={forms.fields}>
          <div className={`${forms.pair} ${forms.narrow}`}>
            <Select
              label="Webhook"
              placeholder="All webhooks"
              data={webhooks.map(({ id, name }) => ({ value: id, label: name }))}
              value={keyId ?? null}
              onChange={(value) => setKeyId(value ?? undefined)}
              clearable
              searchable
            />
            <Select
              label="State"
              placeholder="All states"
              data={STATE_WORDS.map(([value, label]) => ({ value, label }))}
              value={state ?? null}
              onChange={(value) => setState(value ?? undefined)}
              clearable
            />
          </div>
          <DeliveryLog state={state} keyId={keyId} />
        </div>
      </Card>
      <Card title="What the states mean">
        <Facts facts={STATE_WORDS.map(([word, , meaning]) => [word, meaning])} />
        <p className={forms.quiet}>
          Open a delivery to see what was sent, what your server responded, and what to do when it failed.
        </p>
      </Card>
    </div>
  );
}

function hasWebhook({ webhook_url }: ApiKey): boolean {
  return webhook_url !== undefined;
}
