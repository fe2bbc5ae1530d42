import type { ServiceImpl } from '@connectrpc/connect';
import type { HostService } from '../../proto/gen/cloudphone/device/v1/host_service_pb.js';
import type { OwnHost } from '../hosts/hosts.js';
import type { JobWaits } from '../jobs/job-waits.js';

/** Unpack, call, pack: what other hosts ask of this one. */
export function hostRpc({ own, waits }: { own: OwnHost; waits: JobWaits }): ServiceImpl<typeof HostService> {
  return {
    wakeHost: ({ phoneIds }) => {
      for (const phoneId of phoneIds) own.wake(phoneId);
      return {};
    },
    waitForJob: async ({ jobId, waitMs }, { signal }) => {
      const wait = waits.begin(jobId, waitMs, signal);
      try {
        if (own.deviceOf(jobId) !== undefined) await wait.ended;
        return {};
      } finally {
        wait.over();
      }
    },
  };
}
