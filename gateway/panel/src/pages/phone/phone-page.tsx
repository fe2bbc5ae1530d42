import { useQuery } from '@tanstack/react-query';
import { useLocation, useParams } from 'wouter';
import { ApiFault } from '../../api/client.ts';
import { deviceQuery } from '../../api/devices.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { PhoneMenu } from '../phones/phone-menu.tsx';
import { PowerButton } from '../phones/power-button.tsx';

/** One phone. */
export default function PhonePage() {
  const { name } = useParams<{ name: string; tab?: string }>();
  return <Phone key={name} name={name} />;
}

function Phone({ name }: { name: string }) {
  const [, navigate] = useLocation();
  const { data: device, error, refetch } = useQuery(deviceQuery(name));
  const isGone = error instanceof ApiFault && error.status === 404;
  const actions = device !== undefined && !isGone && (
    <>
      <PowerButton device={device} size="sm" />
      <PhoneMenu device={device} onDeleted={() => navigate('/phones')} />
    </>
  );
  return (
    <>
      <PageHeader
        title={name}
        back={{ href: '/phones', label: 'Phones' }}
        badge={device !== undefined && !isGone && <StatusBadge state={device.state} />}
        actions={actions}
      />
      {isGone && <EmptyState title={`There is no phone ${name}`}>It may have been deleted.</EmptyState>}
      {device === undefined && error === null && <Loading what="the phone" />}
      {!isGone && <ErrorAlert error={error} onRetry={() => void refetch()} />}
    </>
  );
}
