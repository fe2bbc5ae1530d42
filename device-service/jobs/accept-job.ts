import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { noSuchDevice, seenBy } from '../access/visibility.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { createId } from '../../kit/ids.js';
import { LEASE_MS } from '../limits.js';
import type { DeviceJob, DeviceStateWord, JobKindWord, PlanWord } from '../store/device-document.js';
import type { DeviceChange, DeviceDocument, DeviceStore } from '../store/devices.js';
import { transitions } from './transitions.js';
import type { JobWorker } from './worker.js';

export interface JobParts {
  devices: DeviceStore;
  worker: JobWorker;
  clock: Clock;
}

/** How often a claim may be lost to something that is over by the time of a second look, such as another job. */
const CLAIM_TRIES = 5;

/**
 * Accepts a job on a device by one conditional update, or answers busy. Once this returns the job is durable: a crash from here on
 * is mended by whoever takes the job next. `instead` is for the service itself, which may begin where callers may not.
 */
export async function acceptJob(
  parts: JobParts,
  device: DeviceDocument,
  request: { kind: JobKindWord; requestedBy?: string },
  instead: { from?: readonly DeviceStateWord[]; change?: DeviceChange } = {},
): Promise<DeviceDocument> {
  const { meanwhile } = transitions[request.kind];
  const from = instead.from ?? transitions[request.kind].from;
  const change = { ...instead.change, state: meanwhile };
  let read = device;
  for (let tries = 0; tries < CLAIM_TRIES; tries++) {
    if (read.job !== undefined) throw busyWithJob(read, read.job);
    if (!from.includes(read.state)) throw busyInState(read, request.kind);
    const claimed = await parts.devices.claim(read._id, from, newJob(parts, read.hostId, request), change);
    if (claimed !== undefined) {
      parts.worker.begin(claimed);
      return claimed;
    }
    const now = await parts.devices.findById(read._id);
    if (now === null || now.gone === true) throw noSuchDevice(device.name);
    read = now;
  }
  throw new ApiError('busy', `The device "${device.name}" is being changed by others all the time. Try again.`);
}

/**
 * Accepts a job on the device `name` without having read it: where it is one of this host, idle in the right state, of `plan` when
 * that is given, and the caller may see it. Answers undefined otherwise; which of these it is, tells a look at the device.
 */
export async function acceptJobByName(
  parts: JobParts,
  caller: Caller,
  name: string,
  kind: JobKindWord,
  plan?: PlanWord,
): Promise<DeviceDocument | undefined> {
  const { devices, worker } = parts;
  const { from, meanwhile } = transitions[kind];
  const { accountId, keyId } = caller;
  const seen = seenBy(caller);
  const claimed = await devices.claimByName(
    {
      accountId,
      name,
      hostId: worker.hostId,
      ...(seen !== undefined && { seen }),
      ...(plan !== undefined && { plan }),
    },
    from,
    newJob(parts, worker.hostId, { kind, requestedBy: keyId }),
    { state: meanwhile },
  );
  if (claimed !== undefined) worker.begin(claimed);
  return claimed;
}

/** A job as it begins. On our own host it begins with a lease, so that it need not be looked for. */
export function newJob(
  { worker, clock }: { worker: JobWorker; clock: Clock },
  hostId: string,
  request: { kind: JobKindWord; requestedBy?: string; startAfter?: boolean },
): DeviceJob {
  const nowMs = clock.now();
  const ours = hostId === worker.hostId;
  return {
    id: createId('job', nowMs),
    ...request,
    createdAt: new Date(nowMs),
    progress: 0,
    fence: 1,
    ...(ours && { workerId: worker.workerId, leaseUntil: new Date(nowMs + LEASE_MS) }),
  };
}

function busyWithJob({ name }: DeviceDocument, { id, kind }: DeviceJob): ApiError {
  return new ApiError(
    'busy',
    `The device "${name}" is busy with job ${id} (${kind}). Wait for it: GET /v1/jobs/${id}?wait_s=30.`,
  );
}

function busyInState({ name, state }: DeviceDocument, kind: JobKindWord): ApiError {
  const hint =
    kind === 'start' && state === 'running'
      ? 'It need not be started; to boot it again call POST /v1/devices/{name}/restart.'
      : (kind === 'restart' || kind === 'stop') && (state === 'stopped' || state === 'failed')
        ? 'Call POST /v1/devices/{name}/start first.'
        : 'Wait until that is over.';
  return new ApiError(
    'busy',
    `The device "${name}" is ${state}, so it cannot ${kind}. ${hint.replace('{name}', name)}`,
  );
}
