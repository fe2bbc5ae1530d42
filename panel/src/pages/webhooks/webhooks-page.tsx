import { Select } from '@mantine/core';
import { useState } from 'react';
import { PageHeader } from '../../parts/page-header.tsx';
import forms from '../../parts/forms.module.css';
import type { Delivery } from '../../deliveries/deliveries-query.ts';
import { DeliveryLog } from '../../deliveries/delivery-log.tsx';
import { TextLink } from '../../parts/text-link.tsx';

/** The deliveries to the webhooks of all keys. */
export default function WebhooksPage() {
  const [state, setState] = useState<Delivery['state']>();
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
        <div className={forms.narrow}>
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
        <DeliveryLog state={state} />
      </div>
    </>
  );
}
