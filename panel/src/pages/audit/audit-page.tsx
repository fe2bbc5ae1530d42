import { Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import ScrollText from 'lucide-react/icons/scroll-text';
import { useState } from 'react';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import forms from '../../parts/forms.module.css';
import { OlderButton } from '../../parts/older-button.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Moment } from '../../parts/time.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { type AuditEntry, auditFile, auditQuery, EVERYTHING, type FileType } from './audit-query.ts';

/** How long the filter must stay as it is before entries are fetched, ms. */
const TYPED_MS = 400;

const COLUMNS: readonly Column<AuditEntry>[] = [
  { label: 'When', cell: ({ at }) => <Moment at={at} /> },
  {
    label: 'Who',
    cell: ({ actor, role }) => (
      <>
        {[actor.name, actor.id, actor.kind].find((word) => word !== '')}
        <div className={forms.quiet}>{role === undefined ? actor.kind : `${actor.kind}, ${role}`}</div>
      </>
    ),
    wraps: true,
  },
  { label: 'What', cell: ({ action }) => actionWords(action), wraps: true },
  {
    label: 'On',
    cell: ({ device, target }) => (
      <>
        {device ?? ''}
        {target !== undefined && <div className={forms.quiet}>{target}</div>}
      </>
    ),
    wraps: true,
  },
  {
    label: 'Outcome',
    cell: ({ outcome }) => (
      <StatusBadge state={outcome} tone={outcome === 'ok' ? 'good' : 'bad'}>
        {outcome.replaceAll('_', ' ')}
      </StatusBadge>
    ),
  },
  { label: 'From', cell: ({ address }) => address, wraps: true },
];

/** Who did what in the account, with a file of it for others. */
export default function AuditPage() {
  const [filter, setFilter] = useState(EVERYTHING);
  const [settled] = useDebouncedValue(filter, TYPED_MS);
  const query = useInfiniteQuery(auditQuery(settled));
  const save = useMutation({
    mutationFn: async (type: FileType) => saveFile(await auditFile(filter, type), `audit.${type}`),
  });
  const isFiltered = Object.values(settled).some((text) => text !== '');
  const saving = (type: FileType, label: string) => (
    <Button
      variant="default"
      loading={save.isPending && save.variables === type}
      disabled={save.isPending}
      onClick={() => save.mutate(type)}
    >
      {label}
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Every call that changed something, every sign-in, and what the operator did here, newest first."
        actions={
          <>
            {saving('csv', 'Save as CSV')}
            {saving('jsonl', 'Save as JSON lines')}
          </>
        }
      />
      <div className={forms.fields}>
        <ErrorAlert error={save.error} />
        <AuditFilters filter={filter} onChange={(part) => setFilter({ ...filter, ...part })} />
        <Fetched query={query} what="the audit log">
          {({ pages }) => (
            <DataTable
              caption="Audit log, newest first"
              columns={COLUMNS}
              rows={pages.flatMap(({ entries }) => entries)}
              keyOf={({ id }) => id}
              empty={
                <EmptyState
                  title={isFiltered ? 'No such entries' : 'No entries yet'}
                  icon={ScrollText}
                  action={
                    isFiltered && (
                      <Button variant="default" onClick={() => setFilter(EVERYTHING)}>
                        Show all entries
                      </Button>
                    )
                  }
                />
              }
            />
          )}
        </Fetched>
      </div>
      <OlderButton query={query}>Show older entries</OlderButton>
    </>
  );
}

/** Returns the name of a call in words: "DeviceService.DeleteDevice" becomes "delete device". */
export function actionWords(action: string): string {
  const name = action.split(/[./]/).at(-1) ?? action;
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ').toLowerCase();
}
