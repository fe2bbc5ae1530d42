import { CloseButton, Group, Text } from '@mantine/core';
import { useJobs } from '../api/jobs.tsx';
import { JobProgress } from '../parts/job-progress.tsx';
import classes from './shell.module.css';

/** The jobs that were started in this panel: how far they are, and what went wrong. Read out as they change. */
export function JobTray() {
  const { followed, dismiss } = useJobs();
  return (
    <div className={classes.tray} role="status" aria-label="Jobs">
      {followed.map(({ job, title }) => (
        <div key={job.id} className={classes.job}>
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
    </div>
  );
}
