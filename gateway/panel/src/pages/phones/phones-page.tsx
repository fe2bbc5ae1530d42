import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import Plus from 'lucide-react/icons/plus';
import Smartphone from 'lucide-react/icons/smartphone';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { devicesQuery } from '../../api/devices.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { PhoneCard } from './phone-card.tsx';
import classes from './phones.module.css';

/**
 * How often the screens in the grid are looked at, ms: less often where there are many, as a session has 600 requests a minute and the
 * tallest windows show some forty phones.
 */
const POLL_MS = 3_000;
const POLL_EACH_MS = 150;

/** All phones, with what is on their screens now. */
export default function PhonesPage() {
  useEffect(() => {
    // The page that is most likely opened next: without its code its first picture would come later.
    import('../phone/phone-page.tsx').catch(() => undefined);
  }, []);
  const { data: devices, error, refetch } = useQuery(devicesQuery);
  const create = (
    <Button component={Link} href="/phones/new" leftSection={<Plus size={16} />}>
      Create a phone
    </Button>
  );
  const running = devices?.filter(({ state }) => state === 'running').length ?? 0;
  return (
    <>
      <PageHeader
        title="Phones"
        description={devices === undefined ? undefined : `${devices.length} in all, ${running} running`}
        actions={create}
      />
      {devices === undefined && error === null && <Loading what="your phones" />}
      <ErrorAlert error={error} onRetry={() => void refetch()} />
      {devices?.length === 0 && (
        <EmptyState title="No phones yet" icon={Smartphone} action={create}>
          A phone is a whole Android in the cloud. See it live here, drive it with your keyboard and mouse, or use it
          from code.
        </EmptyState>
      )}
      {devices !== undefined && devices.length > 0 && (
        <ul className={classes.grid}>
          {devices.map((device) => (
            <li key={device.name}>
              <PhoneCard device={device} pollMs={Math.max(POLL_MS, running * POLL_EACH_MS)} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
