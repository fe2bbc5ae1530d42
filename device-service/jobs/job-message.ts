import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { enumOf } from '../../kit/wire-words.js';
import { type Job, JobKindSchema, JobSchema, JobStateSchema } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import type { JobOutcome } from '../store/device-document.js';
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
    ...(outcome !== undefined && {
      finishedAt: timestampFromDate(outcome.finishedAt),
      ...(outcome.error !== undefined && { error: outcome.error }),
      ...(outcome.result !== undefined && { result: outcome.result }),
    }),
  });
}

/** The job that is with `device`; undefined when none is. */
export function jobOf(device: DeviceDocument): Job | undefined {
  return device.job === undefined ? undefined : jobMessage({ ...device.job, device: device.name });
}
