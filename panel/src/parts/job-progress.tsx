import { Progress, Text } from '@mantine/core';
import type { Job } from '../api/client.ts';

/** The progress of a job: a bar while it runs, then its result or error. */
export function JobProgress({ job, label }: { job: Job; label: string }) {
  if (job.state === 'failed') {
    return (
      <Text size="sm" c="var(--panel-bad)">
        {job.error?.message ?? 'The job failed.'}
      </Text>
    );
  }
  if (job.state === 'done') {
    return (
      <Text size="sm" c="var(--panel-good)">
        Finished
      </Text>
    );
  }
  // Never empty, as it has begun.
  return <Progress value={Math.max(4, job.progress)} size="sm" animated aria-label={label} />;
}
