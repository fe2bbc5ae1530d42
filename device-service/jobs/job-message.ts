import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { enumOf } from '../../kit/wire-words.js';
import {
  type Job,
  JobKindSchema,
  type JobResultSchema,
  JobSchema,
  JobStateSchema,
} from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { exitMessage } from '../devices/exit-message.js';
import type { JobOutcome, JobResult } from '../store/device-document.js';
import type { DeviceDocument } from '../store/devices.js';

/** A job as callers see it, whether it is still with its device or filed already. */
export function jobMessage(job: {
  id: string;
  kind: string;
  device: string;
  progress: number;
  createdAt: Date;
  outcome?: JobOutcome;
}): Job {
  const { outcome } = job;
  return create(JobSchema, {
    id: job.id,
    kind: enumOf(JobKindSchema, job.kind),
    state: enumOf(JobStateSchema, outcome?.state ?? 'running'),
    device: job.device,
    progress: job.progress,
    createdAt: timestampFromDate(job.createdAt),
    finishedAt: outcome && timestampFromDate(outcome.finishedAt),
    error: outcome?.error,
    result: outcome?.result && resultMessage(outcome.result),
  });
}

function resultMessage({ identity, ...result }: JobResult): MessageInitShape<typeof JobResultSchema> {
  if (identity === undefined) return result;
  return { ...result, identity: { ...identity, exit: exitMessage(identity.exit) } };
}

/** The job at work on `device`; undefined when there is none. */
export function jobOf(device: DeviceDocument): Job | undefined {
  return device.job === undefined ? undefined : jobMessage({ ...device.job, device: device.name });
}

/** The job `id` that is still with `device`; undefined when it is not. */
export function jobWithDevice(device: DeviceDocument, id: string): Job | undefined {
  const job = device.job?.id === id ? device.job : device.finished?.find((finished) => finished.id === id);
  return job === undefined ? undefined : jobMessage({ ...job, device: device.name });
}
