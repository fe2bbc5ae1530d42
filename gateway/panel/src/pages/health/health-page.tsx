import { useQuery } from '@tanstack/react-query';
import HeartPulse from 'lucide-react/icons/heart-pulse';
import { allOf } from '../../api/all-of.ts';
import type { Schemas } from '../../api/client.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Moment } from '../../parts/time.tsx';
import { TextLink } from '../../parts/text-link.tsx';

type DeviceHealth = Schemas['DeviceHealth'];

const COLUMNS: readonly Column<DeviceHealth>[] = [
  { label: 'Phone', cell: ({ device }) => <TextLink href={`/phones/${device}`}>{device}</TextLink>, wraps: true },
  {
    label: 'State',
    cell: ({ status }) => <StatusBadge state={status}>{status === 'ok' ? 'fine' : 'problem'}</StatusBadge>,
  },
  { label: 'Problem', cell: ({ problem }) => problem?.message ?? 'none', wraps: true },
  { label: 'Since', cell: ({ problem }) => (problem === undefined ? '–' : <Moment at={problem.since} />) },
];

/** Phones that need attention, and those that do not. */
export default function HealthPage() {
  // Those with a problem come first.
  const {
    data: devices,
    error,
    refetch,
  } = useQuery({
    queryKey: ['health'],
    queryFn: () => allOf('/v1/health', 'devices'),
    refetchInterval: 5_000,
  });
  const problems = devices?.filter(({ status }) => status === 'problem').length ?? 0;
  return (
    <>
      <PageHeader
        title="Health"
        badge={devices !== undefined && devices.length > 0 && <Summary problems={problems} />}
        description="What keeps a phone from being used, and since when. Keys with a webhook are notified of the same."
      />
      <ErrorAlert error={error} onRetry={() => void refetch()} />
      {devices === undefined && error === null && <Loading what="the health of your phones" />}
      {devices?.length === 0 && (
        <EmptyState title="No phones yet" icon={HeartPulse}>
          Once there are phones, their problems are shown here.
        </EmptyState>
      )}
      {devices !== undefined && devices.length > 0 && (
        <DataTable caption="Health of phones" columns={COLUMNS} rows={devices} keyOf={({ device }) => device} />
      )}
    </>
  );
}

function Summary({ problems }: { problems: number }) {
  return (
    <StatusBadge state={problems === 0 ? 'ok' : 'problem'}>
      {problems === 0 ? 'all fine' : problems === 1 ? '1 problem' : `${problems} problems`}
    </StatusBadge>
  );
}
