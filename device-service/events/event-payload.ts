import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { createJsonEncoders } from '../../kit/json/encode.js';
import type { Job } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { JobFinishedSchema } from '../../proto/gen/cloudphone/webhook/v1/payload_pb.js';

const encoderFor = createJsonEncoders();

/** The body of job.finished, as receivers get it. The same job gives the same bytes each time. */
export function jobFinishedPayload(job: Job, finishedAt: Date): Buffer {
  const message = create(JobFinishedSchema, {
    event: 'job.finished',
    ts: timestampFromDate(finishedAt),
    phone: job.device,
    job,
  });
  return Buffer.from(encoderFor(JobFinishedSchema)(message), 'utf8');
}
