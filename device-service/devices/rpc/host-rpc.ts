import type { ServiceImpl } from '@connectrpc/connect';
import type { HostService } from '../../../proto/gen/cloudphone/device/v1/host_service_pb.js';
import type { OwnHost } from '../hosts/dispatch.js';
import type { DevicesContext } from '../devices-context.js';
import { sendLibraryFile } from '../library/send-file.js';
import { receivePhone } from '../moves/receive-phone.js';

/** Longest wait for a job that this host is not working on, ms. */
const UNKNOWN_JOB_MS = 50;

/** Implements the rpcs that other hosts call on this host. */
export function hostRpc(context: DevicesContext, own: OwnHost, epoch: number): ServiceImpl<typeof HostService> {
  const { jobWaits } = context;
  return {
    wakeHost: ({ phoneIds }) => {
      for (const phoneId of phoneIds) own.wake(phoneId);
      return {};
    },
    waitForJob: async ({ jobId, waitMs }, { signal }) => {
      // The wait is short for a job that this host has not begun or has just ended. The caller then reads the job again, but not in a busy
      // loop.
      const isAtWork = own.deviceOf(jobId) !== undefined;
      const wait = jobWaits.begin(jobId, isAtWork ? waitMs : Math.min(waitMs, UNKNOWN_JOB_MS), signal);
      try {
        await wait.ended;
        return {};
      } finally {
        wait.over();
      }
    },
    readTemplate: async function* ({ templateId }, { signal }) {
      for await (const content of context.templateCopies.send(templateId, signal)) yield { content };
    },
    sendLibraryFile: ({ sha256 }) => sendLibraryFile(context.libraryFolder, sha256),
    receivePhone: (requests, { signal }) => receivePhone(context, epoch, requests, signal),
  };
}
