import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { noSuchDevice, seenBy } from '../access/visibility.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { withStateEvent } from '../events/state-event.js';
import type { Hosts } from '../hosts/hosts.js';
import type { Job, JobKindWord, PlanWord } from '../store/device-document.js';
import type { DeviceChange } from '../store/device-change.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';
import { newJob } from './new-job.js';
import { isWork, transitions } from './transitions.js';

export interface JobParts {
  devices: DeviceStore;
  hosts: Hosts;
  clock: Clock;
}

/** How often a claim may be lost to something that is over by the time of a second try, such as another job. */
const CLAIM_TRIES = 5;

/**
 * Accepts a job on a device by one conditional update, or throws busy. Once this returns the job is durable: a crash from here on
 * leaves it to the next process of the device's host. `change` goes into the same update.
 */
export async function acceptJob(
  parts: JobParts,
  device: DeviceDocument,
  request: Pick<Job, 'kind' | 'requestedBy' | 'work' | 'snapshot'> & { id?: string },
  change: DeviceChange = {},
): Promise<DeviceDocument> {
  const { from, change: asked } = transitions[request.kind];
  let read = device;
  for (let tries = 0; tries < CLAIM_TRIES; tries++) {
    if (read.job !== undefined) {
      // Perhaps the reply to the update that accepted it was lost, and it was not begun.
      if (parts.hosts.deviceOf(read.job.id) === undefined) parts.hosts.wake(read);
      throw busyWithJob(read, read.job);
    }
    if (!from.includes(read.state)) throw busyInState(read, request.kind);
    const job = newJob(parts.clock, request);
    const whole = withStateEvent(read.state, { ...change, ...asked }, parts.clock.now());
    const claimed = await parts.devices.claim(read._id, from, job, whole);
    if (claimed !== undefined) {
      parts.hosts.begin(claimed);
      return claimed;
    }
    const now = await parts.devices.findById(read._id);
    if (now === null || now.gone === true) throw noSuchDevice(device.name);
    read = now;
  }
  throw new ApiError('busy', `The device "${device.name}" is being changed by others all the time. Try again.`);
}

/** Throws busy unless a job of the kind could begin on the device as it was read: for work whose preparation is costly or uses the phone. */
export function assertMayBegin(device: DeviceDocument, kind: JobKindWord): void {
  if (device.job !== undefined) throw busyWithJob(device, device.job);
  if (!transitions[kind].from.includes(device.state)) throw busyInState(device, kind);
}

/**
 * Accepts a job on the device `name` without having read it: where it is idle in the right state, of `plan` when that is given, and
 * the caller may see it. Returns undefined otherwise; reading the device shows which of these it is.
 */
export async function acceptJobByName(
  parts: JobParts,
  caller: Caller,
  name: string,
  kind: JobKindWord,
  plan?: PlanWord,
): Promise<DeviceDocument | undefined> {
  const { from, change } = transitions[kind];
  const { accountId, keyId } = caller;
  const claimed = await parts.devices.claimByName(
    { accountId, name, seen: seenBy(caller), plan },
    from,
    newJob(parts.clock, { kind, requestedBy: keyId }),
    withStateEvent(undefined, change ?? {}, parts.clock.now()),
  );
  if (claimed !== undefined) parts.hosts.begin(claimed);
  return claimed;
}

export function busyWithJob({ name }: DeviceDocument, { id, kind }: Job): ApiError {
  return new ApiError(
    'busy',
    `The device "${name}" is busy with job ${id} (${kind}). Wait for it: GET /v1/jobs/${id}?wait_s=30.`,
  );
}

function busyInState({ name, state }: DeviceDocument, kind: JobKindWord): ApiError {
  const hint =
    kind === 'start' && state === 'running'
      ? 'It need not be started; to boot it again call POST /v1/devices/{name}/restart.'
      : state === 'stopped' || state === 'failed'
        ? 'Call POST /v1/devices/{name}/start first.'
        : 'Wait until that is over.';
  const cannot = isWork(kind) ? `so ${kind} is not possible` : `so it cannot ${kind}`;
  return new ApiError('busy', `The device "${name}" is ${state}, ${cannot}. ${hint.replace('{name}', name)}`);
}
