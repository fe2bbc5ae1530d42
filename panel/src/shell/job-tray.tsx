import { CloseButton, Group, Text } from '@mantine/core';
import { useJobs } from '../api/jobs.tsx';
import { JobProgress } from '../parts/job-progress.tsx';
import parts from '../parts/parts.module.css';
import classes from './shell.module.css';

/** The progress and errors of the jobs that were started in this panel. Screen readers announce changes. */
export function JobTray() {
  const { followed, dismiss } = useJobs();
  return (
    <div className={classes.tray} role="status" aria-label="Jobs">
      {followed.map(({ job, title }) => (
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
    </div>
  );
}
