import { clone, type DescMessage, type MessageShape } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import { callerOf, callOf, REPLAYED_HEADER } from '../../../kit/rpc/context.js';
import { Scope } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { Job } from '../../../proto/gen/cloudphone/device/v1/job_pb.js';
import type { ChosenIds, Once } from '../idempotency/once.js';
import { jobMessage, jobOf, jobWithDevice } from '../../record/job-message.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { JobStore } from '../../store/jobs.js';

interface WithKey {
  idempotencyKey?: string | undefined;
}

/** Carries out a request that makes something: once for each Idempotency-Key, and each time when it has none. */
export async function makeOnce<I extends DescMessage, O extends DescMessage>(
  once: Once,
  context: HandlerContext,
  request: MessageShape<I> & WithKey,
  schemas: { request: I; response: O },
  work: (ids?: ChosenIds) => Promise<MessageShape<O>>,
): Promise<MessageShape<O>> {
  const { idempotencyKey } = request;
  if (idempotencyKey === undefined) return work();
  const message = clone(schemas.request, request) as MessageShape<I> & WithKey;
  delete message.idempotencyKey;
  const { accountId, keyId, scope } = callerOf(context);
  // A session may go to another account, and keeps its id.
  const callerId = scope === Scope.PERSON ? `${accountId}/${keyId}` : keyId;
  const { response, replayed } = await once.run(
    { callerId, idempotencyKey, schema: schemas.request, message },
    schemas.response,
    work,
    callOf(context).signal,
  );
  if (replayed) context.responseHeader.set(REPLAYED_HEADER, 'true');
  return response;
}

/**
 * Returns the job that makes the device. A repeated request can come long after the first one. By then, the job of the first request is
 * no longer in the device's document, and is read from the jobs collection.
 */
export async function makingJobOf(
  jobs: JobStore,
  device: DeviceDocument,
  ids: ChosenIds | undefined,
): Promise<Job | undefined> {
  if (ids === undefined) return jobOf(device);
  const filed = jobWithDevice(device, ids.jobId) === undefined ? await jobs.find(ids.jobId) : null;
  return filed === null ? jobWithDevice(device, ids.jobId) : jobMessage({ ...filed, id: filed._id });
}
