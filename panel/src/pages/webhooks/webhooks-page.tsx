import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { allOf } from '../../api/all-of.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import forms from '../../parts/forms.module.css';
import type { Delivery } from '../../deliveries/deliveries-query.ts';
import { DeliveryLog } from '../../deliveries/delivery-log.tsx';
import { TextLink } from '../../parts/text-link.tsx';

/** The deliveries to the webhooks of all keys. */
export default function WebhooksPage() {
  const [state, setState] = useState<Delivery['state']>();
  const [keyId, setKeyId] = useState<string>();
  const { data: keys = [] } = useQuery({ queryKey: ['keys'], queryFn: () => allOf('/v1/keys', 'keys') });
  const webhooks = keys.filter(({ webhook_url }) => webhook_url !== undefined);
  return (
    <>
      <PageHeader
        title="Webhooks"
        description={
          <>
            Deliveries of the last 30 days. A webhook belongs to an <TextLink href="/settings/keys">API key</TextLink>.
          </>
        }
      />
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
            data={[
              { value: 'pending', label: 'Pending' },
              { value: 'delivered', label: 'Delivered' },
              { value: 'failed', label: 'Failed' },
            ]}
            value={state ?? null}
            onChange={(value) => setState(value ?? undefined)}
            clearable
          />
        </div>
        <DeliveryLog state={state} keyId={keyId} />
      </div>
    </>
  );
}
