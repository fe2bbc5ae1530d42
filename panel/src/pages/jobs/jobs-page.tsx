import { Button, Select } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import ListChecks from 'lucide-react/icons/list-checks';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Job } from '../../api/client.ts';
import { devicesQuery } from '../../api/devices.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import { JobProgress } from '../../parts/job-progress.tsx';
import { OlderButton } from '../../parts/older-button.tsx';
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
  template: 'Template',
  move: 'Move',
  upgrade: 'Upgrade Android',
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
    cell: ({ state }) => (
      <StatusBadge state={state} {...(state === 'running' && { tone: 'work' as const })}>
        {state === 'done' ? 'finished' : state}
      </StatusBadge>
    ),
  },
  {
    label: 'Progress or error',
    // A finished job needs no progress beside its state.
    cell: (job) => (job.state === 'done' ? '' : <JobProgress job={job} label={`${KINDS[job.kind]} ${job.device}`} />),
    wraps: true,
  },
  { label: 'Started', cell: ({ created_at }) => <Moment at={created_at} /> },
  { label: 'Duration', cell: durationOf, align: 'right' },
];

/** The long-running operations, finished or not. */
export default function JobsPage() {
  const [filter, setFilter] = useState<JobFilter>({});
  const isFiltered = Object.keys(filter).length > 0;
  const query = useInfiniteQuery(jobsQuery(filter));
  const { data: devices = [] } = useQuery(devicesQuery);
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
        description="Starts, installs, snapshots and other operations that take a while, newest first."
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
              { value: 'done', label: 'Finished' },
              { value: 'failed', label: 'Failed' },
            ]}
            value={filter.state ?? null}
            onChange={(state) => change({ state: state ?? undefined })}
            clearable
          />
        </div>
        <Fetched query={query} what="jobs">
          {({ pages }) => (
            <DataTable
              caption="Jobs, newest first"
              columns={COLUMNS}
              rows={pages.flatMap(({ jobs }) => jobs)}
              keyOf={({ id }) => id}
              empty={
                isFiltered ? (
                  <EmptyState
                    title="No such jobs"
                    icon={ListChecks}
                    action={
                      <Button variant="default" onClick={() => setFilter({})}>
                        Show all jobs
                      </Button>
                    }
                  />
                ) : (
                  <EmptyState
                    title="No jobs yet"
                    icon={ListChecks}
                    action={
                      <Button variant="default" component={Link} href="/phones">
                        Go to your phones
                      </Button>
                    }
                  >
                    Creating a phone, starting it or installing an app makes a job, which is shown here until it is done
                    and after.
                  </EmptyState>
                )
              }
            />
          )}
        </Fetched>
      </div>
      <OlderButton query={query}>Show older jobs</OlderButton>
    </>
  );
}

function durationOf({ created_at, finished_at }: Job): string {
  if (finished_at === undefined) return '…';
  return duration(Math.max(0, (Date.parse(finished_at) - Date.parse(created_at)) / 1000));
}
