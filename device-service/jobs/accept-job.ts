import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { createId } from '../../kit/ids.js';
import { LEASE_MS } from '../limits.js';
import type { DeviceJob, DeviceStateWord, JobKindWord } from '../store/device-document.js';
import type { DeviceChange, DeviceDocument, DeviceStore } from '../store/devices.js';
import type { JobStore } from '../store/jobs.js';
import { fileJob } from './file-job.js';
import { transitions } from './transitions.js';
import type { JobWorker } from './worker.js';

export interface JobParts {
  devices: DeviceStore;
  jobs: JobStore;
  worker: JobWorker;
  clock: Clock;
}

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
  if (device.job !== undefined && device.job.outcome === undefined) throw busyWithJob(device);
  if (!from.includes(device.state)) throw busyInState(device, request.kind);
  await fileJob(parts, device);
  const claimed = await parts.devices.claim(device._id, from, newJob(parts, device.hostId, request), {
    ...instead.change,
    state: meanwhile,
  });
  if (claimed === undefined) {
    // Somebody else was faster; the text tells what they did.
    const now = await parts.devices.findById(device._id);
    throw now?.job === undefined ? busyInState(now ?? device, request.kind) : busyWithJob(now);
  }
  parts.worker.begin(claimed);
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

function busyWithJob({ name, job }: DeviceDocument): ApiError {
  return new ApiError(
    'busy',
    `The device "${name}" is busy with job ${job?.id ?? ''} (${job?.kind ?? ''}). Wait for it: GET /v1/jobs/${job?.id ?? ''}?wait_s=30.`,
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
