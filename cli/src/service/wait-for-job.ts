import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import type { Invocation } from '../command/command.js';
import { Progress } from '../output/progress.js';
import type { Job } from './types.js';

/** Time between two requests for a job whose progress is drawn, seconds. */
const PROGRESS_WAIT_S = 1;

const MAX_TIMEOUT_S = 86_400;

/**
 * Waits until a job has ended, with its progress on a terminal, and returns the job. With --no-wait it returns the job as it is. Throws a
 * JobFailedError when the job failed.
 */
export async function waitForJob(invocation: Invocation, phone: CloudPhone, job: Job): Promise<Job> {
  const { options, terminal, signal } = invocation;
  if (options.flag('no-wait')) return job;
  const timeoutS = options.number('timeout-s', { min: 1, max: MAX_TIMEOUT_S }) ?? 600;
  const progress = new Progress(terminal);
  const show = ({ kind, device, progress: percent }: Job): void => progress.show(`${kind} ${device}`, percent);
  show(job);
  try {
    return await phone.waitForJob(job, {
      timeoutMs: timeoutS * 1_000,
      ...(terminal.showsProgress && { requestWaitS: PROGRESS_WAIT_S }),
      onProgress: show,
      signal,
    });
  } finally {
    progress.clear();
  }
}
