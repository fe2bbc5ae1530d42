import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import Bug from 'lucide-react/icons/bug';
import { useState } from 'react';
import type { Device } from '../../../api/client.ts';
import { Card } from '../../../parts/card.tsx';
import { DataTable } from '../../../parts/data-table.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { Fetched } from '../../../parts/fetched.tsx';
import { Moment } from '../../../parts/time.tsx';
import { CrashTrace } from './crash-trace.tsx';
import { type Crash, crashesQuery } from './crashes-query.ts';
import { kindWords } from './kind-words.ts';

/** The crashes of apps on a phone, each with its trace. */
export default function CrashesTab({ device: { name } }: { device: Device }) {
  const query = useQuery(crashesQuery(name));
  return (
    <Card title="Crashes" description="Apps that crashed or did not respond, whoever used the phone: the latest 100.">
      <Fetched query={query} what="the crashes">
        {(crashes) => <Crashes name={name} crashes={crashes} />}
      </Fetched>
    </Card>
  );
}

function Crashes({ name, crashes }: { name: string; crashes: readonly Crash[] }) {
  const [shown, setShown] = useState<Crash>();
  return (
    <>
      <DataTable
        caption={`Crashes of ${name}`}
        rows={crashes}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No crashes" icon={Bug}>
            An app that crashes or does not respond shows here, with its trace.
          </EmptyState>
        }
        columns={[
          { label: 'When', cell: ({ at }) => <Moment at={at} /> },
          { label: 'App', cell: (crash) => crash.package, wraps: true },
          { label: 'What', cell: ({ kind }) => kindWords(kind) },
          { label: 'Reason', cell: ({ reason }) => reason, wraps: true },
          {
            label: '',
            cell: (crash) => (
              <Button
                size="compact-xs"
                variant="default"
                onClick={() => setShown(crash)}
                aria-label={`Trace of ${crash.id}`}
              >
                Trace
              </Button>
            ),
          },
        ]}
      />
      <CrashTrace crash={shown} onClose={() => setShown(undefined)} />
    </>
  );
}
