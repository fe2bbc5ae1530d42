import { Progress, Text } from '@mantine/core';
import type { Job } from '../api/client.ts';
import { shownError } from '../api/error-words.ts';

/** The progress of a job: a bar while it runs, then its result or error. */
export function JobProgress({ job, label }: { job: Job; label: string }) {
  if (job.state === 'failed') {
    return (
      <Text size="sm" c="var(--panel-bad)">
        {job.error === undefined ? 'It failed.' : shownError(job.error.error, job.error.message).text}
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
  // The bar is never empty, as the job has begun.
  return <Progress value={Math.max(4, job.progress)} size="sm" animated aria-label={label} />;
}
