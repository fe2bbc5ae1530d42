import { CloseButton, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { type FollowedJob, useJobs } from '../api/jobs.tsx';
import { JobProgress } from '../parts/job-progress.tsx';
import parts from '../parts/parts.module.css';
import classes from './shell.module.css';

/** Most jobs that are shown; the others are counted. */
const SHOWN = 4;

/** The progress and errors of the jobs that were started in this panel. Screen readers announce changes. */
export function JobTray() {
  const { followed, dismiss } = useJobs();
  const shown = followed.toSorted((a, b) => rank(a) - rank(b)).slice(0, SHOWN);
  const others = followed.length - shown.length;
  return (
    <div className={classes.tray} role="status" aria-label="Jobs">
      {shown.map(({ job, title }) => (
        <div key={job.id} className={parts.notice}>
          <Group justify="space-between" wrap="nowrap" gap="xs" mb={6}>
            <Text size="sm" fw={600} truncate>
              {title}
            </Text>
            {job.state !== 'running' && (
              <CloseButton size="sm" aria-label={`Dismiss: ${title}`} onClick={() => dismiss(job.id)} />
            )}
          </Group>
          <JobProgress job={job} label={title} />
        </div>
      ))}
      {others > 0 && (
        <div className={parts.notice}>
          <Link href="/jobs">{others === 1 ? '1 more job' : `${others} more jobs`}</Link>
        </div>
      )}
    </div>
  );
}

/** Returns the rank of a job. Failures come first, as they wait for a person. */
function rank({ job }: FollowedJob): number {
  return job.state === 'failed' ? 0 : 1;
}
