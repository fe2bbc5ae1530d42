import type { ServiceImpl } from '@connectrpc/connect';
import type { HostService } from '../../proto/gen/cloudphone/device/v1/host_service_pb.js';
import type { OwnHost } from '../hosts/hosts.js';
import type { JobWaits } from '../jobs/job-waits.js';

/** How long to wait for a job that this host is not at work on, ms. */
const UNKNOWN_JOB_MS = 50;

/** Unpack, call, pack: calls of other hosts. */
export function hostRpc({ own, waits }: { own: OwnHost; waits: JobWaits }): ServiceImpl<typeof HostService> {
  return {
    wakeHost: ({ phoneIds }) => {
      for (const phoneId of phoneIds) own.wake(phoneId);
      return {};
    },
    waitForJob: async ({ jobId, waitMs }, { signal }) => {
      // A job that is not at work here yet, or has just ended, gets a short wait: the caller reads it again, but not in a busy loop.
      const isAtWork = own.deviceOf(jobId) !== undefined;
      const wait = waits.begin(jobId, isAtWork ? waitMs : Math.min(waitMs, UNKNOWN_JOB_MS), signal);
      try {
        await wait.ended;
        return {};
      } finally {
        wait.over();
      }
    },
  };
}
