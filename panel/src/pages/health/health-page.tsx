import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import HeartPulse from 'lucide-react/icons/heart-pulse';
import { Link } from 'wouter';
import { pollWithoutEvents } from '../../api/account-events.ts';
import { allOf } from '../../api/all-of.ts';
import { plainWords } from '../../api/plain-words.ts';
import { api, type Schemas, take } from '../../api/client.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import { ForRight } from '../../parts/for-right.tsx';
import forms from '../../parts/forms.module.css';
import { PageHeader } from '../../parts/page-header.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Moment } from '../../parts/time.tsx';
import { TextLink } from '../../parts/text-link.tsx';

type DeviceHealth = Schemas['DeviceHealth'];
type PoolHealth = Schemas['PoolHealth'];

const COLUMNS: readonly Column<DeviceHealth>[] = [
  { label: 'Phone', cell: ({ device }) => <TextLink href={`/phones/${device}`}>{device}</TextLink>, wraps: true },
  {
    label: 'State',
    cell: ({ status }) => <StatusBadge state={status}>{status === 'ok' ? 'healthy' : 'problem'}</StatusBadge>,
  },
];

/** The columns that are shown only where a phone has a problem. */
const OF_PROBLEMS: readonly Column<DeviceHealth>[] = [
  { label: 'Problem', cell: ({ problem }) => (problem === undefined ? '' : plainWords(problem.message)), wraps: true },
  { label: 'Since', cell: ({ problem }) => (problem === undefined ? '' : <Moment at={problem.since} />) },
];

const POOL_COLUMNS: readonly Column<PoolHealth>[] = [
  { label: 'Pool', cell: ({ pool }) => <TextLink href={`/pools/${pool}`}>{pool}</TextLink>, wraps: true },
  { label: 'Problem', cell: ({ problem }) => plainWords(problem.message), wraps: true },
  { label: 'Since', cell: ({ problem }) => <Moment at={problem.since} /> },
];

/** Fetches the health of all phones, and of the pools, which the first page has. */
async function healthNow(): Promise<{ devices: DeviceHealth[]; pools: PoolHealth[] }> {
  const [devices, { pools }] = await Promise.all([
    allOf('/v1/health', 'devices'),
    take(api.GET('/v1/health', { params: { query: { limit: 1 } } })),
  ]);
  return { devices, pools };
}

/** How often the list is polled while no events come, ms. */
const POLL_MS = 5_000;

/** The health of all phones, those with problems first. */
export default function HealthPage() {
  // Phones with a problem come first.
  const query = useQuery({
    queryKey: ['health'],
    queryFn: healthNow,
    refetchInterval: () => pollWithoutEvents(POLL_MS),
  });
  const ofPools = query.data?.pools ?? [];
  const ofPhones = query.data?.devices.filter(({ status }) => status === 'problem').length ?? 0;
  const problems = ofPhones + ofPools.length;
  return (
    <>
      <PageHeader
        title="Health"
        badge={
          query.data !== undefined && query.data.devices.length + ofPools.length > 0 && <Summary problems={problems} />
        }
        description="What keeps a phone from being used, and since when. A webhook can report it to your programs."
      />
      <Fetched query={query} what="the health of your phones">
        {({ devices, pools }) => (
          <div className={forms.fields}>
            {pools.length > 0 && (
              <DataTable
                caption="Pools with a problem"
                columns={POOL_COLUMNS}
                rows={pools}
                keyOf={({ pool }) => pool}
              />
            )}
            <DataTable
              caption="Health of phones"
              columns={ofPhones === 0 ? COLUMNS : [...COLUMNS, ...OF_PROBLEMS]}
              rows={devices}
              keyOf={({ device }) => device}
              empty={
                <EmptyState
                  title="No phones yet"
                  icon={HeartPulse}
                  action={
                    <ForRight right="phones">
                      <Button component={Link} href="/phones/new">
                        Create a phone
                      </Button>
                    </ForRight>
                  }
                >
                  Once there are phones, their problems are shown here.
                </EmptyState>
              }
            />
          </div>
        )}
      </Fetched>
    </>
  );
}

function Summary({ problems }: { problems: number }) {
  return (
    <StatusBadge state={problems === 0 ? 'ok' : 'problem'}>
      {problems === 0 ? 'all healthy' : problems === 1 ? '1 problem' : `${problems} problems`}
    </StatusBadge>
  );
}
