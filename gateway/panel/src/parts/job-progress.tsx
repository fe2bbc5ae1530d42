import { Progress, Text } from '@mantine/core';
import type { Job } from '../api/client.ts';

/** How far a job is: a bar while it runs, then whether it went well, or why not. */
export function JobProgress({ job, label }: { job: Job; label: string }) {
  if (job.state === 'failed') {
    return (
      <Text size="sm" c="var(--panel-bad)">
        {job.error?.message ?? 'It failed.'}
      </Text>
    );
  }
  if (job.state === 'done') {
    return (
      <Text size="sm" c="var(--panel-good)">
        Done
      </Text>
    );
  }
  // Never empty, as it has begun.
  return <Progress value={Math.max(4, job.progress)} size="sm" animated aria-label={label} />;
}
