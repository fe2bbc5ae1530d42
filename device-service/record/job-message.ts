import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { enumOf } from '../../kit/text/wire-words.js';
import {
  type Job,
  JobKindSchema,
  JobPhaseSchema,
  type JobResultSchema,
  JobSchema,
  JobStateSchema,
} from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { exitMessage } from './exit-message.js';
import type { Job as InnerJob, JobOutcome, JobResult } from '../store/device-document.js';
import type { DeviceDocument } from '../store/devices.js';

/** Returns a job as callers see it, whether it is still with its device or already filed. */
export function jobMessage(job: {
  id: string;
  kind: string;
  device: string;
  progress: number;
  createdAt: Date;
  phase?: InnerJob['phase'];
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
    phase: outcome === undefined && job.phase !== undefined ? enumOf(JobPhaseSchema, job.phase) : undefined,
    result: outcome?.result && resultMessage(outcome.result),
  });
}

function resultMessage({ identity, ...result }: JobResult): MessageInitShape<typeof JobResultSchema> {
  if (identity === undefined) return result;
  return { ...result, identity: { ...identity, exit: exitMessage(identity.exit) } };
}

/** Returns the job at work on `device`; undefined when there is none. */
export function jobOf(device: DeviceDocument): Job | undefined {
  return device.job === undefined ? undefined : jobMessage({ ...device.job, device: device.name });
}

/** Returns the job `id` if it is still with `device`; otherwise undefined. */
export function jobWithDevice(device: DeviceDocument, id: string): Job | undefined {
  const job = device.job?.id === id ? device.job : device.finished?.find((finished) => finished.id === id);
  return job === undefined ? undefined : jobMessage({ ...job, device: device.name });
}
