import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import Plus from 'lucide-react/icons/plus';
import Smartphone from 'lucide-react/icons/smartphone';
import { useEffect } from 'react';
import { Link } from 'wouter';
import type { Device } from '../../api/client.ts';
import { devicesQuery } from '../../api/devices.ts';
import { useRight } from '../../api/use-right.ts';
import { OpenHandovers } from '../../handovers/open-handovers.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import { ForRight } from '../../parts/for-right.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { phoneCount } from '../../parts/phone-count.ts';
import { FirstSteps } from './first-steps.tsx';
import { NoSuchPhones } from './no-such-phones.tsx';
import { PhoneCards } from './phone-cards.tsx';
import { filtered, usePhoneFilters } from './phone-filters.ts';
import { PhoneTable } from './phone-table.tsx';
import { PhoneToolbar } from './phone-toolbar.tsx';

/**
 * How often the screens in the grid are fetched, ms. They are fetched less often where there are many: a session has 600 requests a minute,
 * and the tallest windows show some forty phones.
 */
const POLL_MS = 3_000;
const POLL_EACH_MS = 150;

/** All phones, with thumbnails of their screens. */
export default function PhonesPage() {
  useEffect(() => {
    // The code of the page that is most likely opened next is loaded ahead, as its first picture would else come later.
    import('../phone/phone-page.tsx').catch(() => undefined);
  }, []);
  const query = useQuery(devicesQuery);
  const mayChange = useRight('phones');
  const create = mayChange && (
    <Button component={Link} href="/phones/new" leftSection={<Plus size={16} />}>
      Create a phone
    </Button>
  );
  const running = query.data?.filter(({ state }) => state === 'running').length ?? 0;
  return (
    <>
      <PageHeader
        title="Phones"
        description={query.data && `${phoneCount(query.data.length)}, ${running} running`}
        actions={query.data?.length !== 0 && create}
      />
      <OpenHandovers />
      <ForRight right="keys">{query.data !== undefined && <FirstSteps hasPhone={query.data.length > 0} />}</ForRight>
      <Fetched query={query} what="your phones">
        {(devices) =>
          devices.length === 0 ? (
            <EmptyState title="No phones yet" icon={Smartphone} action={create}>
              {mayChange
                ? 'A phone is a whole Android in the cloud. See it live here, use it with your keyboard and mouse, or from code.'
                : 'Phones that the account has, and that you may see, are shown here.'}
            </EmptyState>
          ) : (
            <PhoneList devices={devices} pollMs={Math.max(POLL_MS, running * POLL_EACH_MS)} />
          )
        }
      </Fetched>
    </>
  );
}

function PhoneList({ devices, pollMs }: { devices: readonly Device[]; pollMs: number }) {
  const [filters, change] = usePhoneFilters();
  const shown = filtered(devices, filters);
  const reset = (): void => change({ search: '', state: '', label: '' });
  return (
    <>
      {devices.length > 1 && <PhoneToolbar devices={devices} filters={filters} onChange={change} />}
      {/* The table keeps the chosen rows while a search finds nothing. */}
      {filters.as === 'table' ? (
        <PhoneTable devices={shown} onReset={reset} />
      ) : shown.length === 0 ? (
        <NoSuchPhones onReset={reset} />
      ) : (
        <PhoneCards devices={shown} pollMs={pollMs} />
      )}
    </>
  );
}
