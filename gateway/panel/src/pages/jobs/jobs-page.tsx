import { Button, Select } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import ListChecks from 'lucide-react/icons/list-checks';
import { useState } from 'react';
import type { Job } from '../../api/client.ts';
import { devicesQuery } from '../../api/devices.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { JobProgress } from '../../parts/job-progress.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { duration, Moment } from '../../parts/time.tsx';
import forms from '../../parts/forms.module.css';
import { TextLink } from '../../parts/text-link.tsx';
import { type JobFilter, jobsQuery } from './jobs-query.ts';

const KINDS: Record<Job['kind'], string> = {
  create: 'Create',
  start: 'Start',
  stop: 'Stop',
  restart: 'Restart',
  delete: 'Delete',
  network: 'Change network',
  rotate: 'New address',
  install: 'Install app',
  uninstall: 'Remove app',
  snapshot: 'Save snapshot',
  restore: 'Restore snapshot',
  clone: 'Clone',
  group: 'Group',
};

const COLUMNS: readonly Column<Job>[] = [
  { label: 'Job', cell: ({ kind }) => KINDS[kind] },
  {
    label: 'Phone',
    cell: ({ device }) => (device === '' ? 'several' : <TextLink href={`/phones/${device}`}>{device}</TextLink>),
    wraps: true,
  },
  {
    label: 'State',
    cell: (job) => <StatusBadge state={job.state} {...(job.state === 'running' && { tone: 'work' as const })} />,
  },
  {
    label: 'Progress',
    cell: (job) => <JobProgress job={job} label={`${KINDS[job.kind]} ${job.device}`} />,
    wraps: true,
  },
  { label: 'Began', cell: ({ created_at }) => <Moment at={created_at} /> },
  { label: 'Took', cell: tookOf, align: 'right' },
];

/** Everything that took a while, and what still does. */
export default function JobsPage() {
  const [filter, setFilter] = useState<JobFilter>({});
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(jobsQuery(filter));
  const { data: devices = [] } = useQuery(devicesQuery);
  const jobs = data?.pages.flatMap((page) => page.jobs);
  const change = (part: { [K in keyof JobFilter]: JobFilter[K] | undefined }): void => {
    const next = { ...filter, ...part };
    setFilter({
      ...(next.device !== undefined && { device: next.device }),
      ...(next.state !== undefined && { state: next.state }),
    });
  };
  return (
    <>
      <PageHeader
        title="Jobs"
        description="Starts, installs, snapshots and whatever else takes a while, newest first."
      />
      <div className={forms.fields}>
        <div className={`${forms.pair} ${forms.narrow}`}>
          <Select
            label="Phone"
            placeholder="All phones"
            data={devices.map(({ name }) => name)}
            value={filter.device ?? null}
            onChange={(device) => change({ device: device ?? undefined })}
            clearable
            searchable
          />
          <Select
            label="State"
            placeholder="All states"
            data={[
              { value: 'running', label: 'Running' },
              { value: 'done', label: 'Done' },
              { value: 'failed', label: 'Failed' },
            ]}
            value={filter.state ?? null}
            onChange={(state) => change({ state: state ?? undefined })}
            clearable
          />
        </div>
        <ErrorAlert error={error} onRetry={() => void refetch()} />
        {jobs === undefined && error === null && <Loading what="jobs" />}
        {jobs?.length === 0 && (
          <EmptyState title={Object.keys(filter).length === 0 ? 'No jobs yet' : 'No such jobs'} icon={ListChecks}>
            Creating a phone, starting it or installing an app makes a job, which is shown here until it is done and
            after.
          </EmptyState>
        )}
        {jobs !== undefined && jobs.length > 0 && (
          <DataTable caption="Jobs, newest first" columns={COLUMNS} rows={jobs} keyOf={({ id }) => id} />
        )}
      </div>
      {hasNextPage && (
        <div className={forms.more}>
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older jobs
          </Button>
        </div>
      )}
    </>
  );
}

function tookOf({ created_at, finished_at }: Job): string {
  if (finished_at === undefined) return '…';
  return duration(Math.max(0, (Date.parse(finished_at) - Date.parse(created_at)) / 1000));
}
