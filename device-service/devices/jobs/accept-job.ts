import { ApiError } from '../../../kit/errors/api-error.js';
import { refusalOf } from '../../accounts/callers/leased.js';
import { noSuchDevice, seenBy } from '../../accounts/callers/visibility.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { withStateEvent } from '../../record/state-event.js';
import type { Job, JobKindWord, PlanWord } from '../../store/device-document.js';
import type { DeviceChange } from '../../store/device-change.js';
import type { DeviceDocument } from '../../store/devices.js';
import { OPERATOR } from '../../record/operator.js';
import { newJob } from '../../record/new-job.js';
import { isWork, transitions } from '../../record/transitions.js';
import type { DevicesContext } from '../devices-context.js';

/** How often a claim is tried. A change by others that made one try fail is often over by the next one. */
const CLAIM_TRIES = 5;

export type AcceptContext = Pick<DevicesContext, 'devices' | 'clock'> & {
  dispatch: Pick<DevicesContext['dispatch'], 'begin' | 'wake' | 'deviceOf'>;
};

/**
 * Accepts a job on a device by one conditional update, or throws busy. Once this returns, the job is durable: a crash from here on leaves
 * it to the next process of the device's host. `change` is part of the same update.
 */
export async function acceptJob(
  context: AcceptContext,
  device: DeviceDocument,
  request: Pick<Job, 'kind' | 'requestedBy' | 'work' | 'snapshot'> & {
    id?: string;
    /** The group whose step it is: a program, which begins nothing on a phone that a person has. Absent: it is no step. */
    groupId?: string | undefined;
  },
  change: DeviceChange = {},
): Promise<DeviceDocument> {
  const { groupId, ...rest } = request;
  const { from, change: asked } = transitions[request.kind];
  // Leases bind the account's callers, not the operator and the service itself.
  const keyId = request.requestedBy === OPERATOR ? undefined : request.requestedBy;
  let read = device;
  for (let tries = 0; tries < CLAIM_TRIES; tries++) {
    if (read.job !== undefined) {
      // Perhaps the reply to the update that accepted the job was lost, and the job was not begun.
      if (context.dispatch.deviceOf(read.job.id) === undefined) context.dispatch.wake(read);
      throw busyWithJob(read, read.job);
    }
    if (!from.includes(read.state)) throw busyInState(read, request.kind);
    const refusal = keyId === undefined ? undefined : refusalOf(read, { keyId, groupId });
    if (refusal !== undefined) throw new ApiError('busy', refusal);
    const job = newJob(context.clock, { ...rest, ...(groupId !== undefined && { groupId }) });
    const whole = withStateEvent(read.state, { ...change, ...asked }, context.clock.now());
    const claimed = await context.devices.claims.byId(read._id, from, job, whole, {
      keyId,
      isProgram: groupId !== undefined,
    });
    if (claimed !== undefined) {
      context.dispatch.begin(claimed);
      return claimed;
    }
    const now = await context.devices.findById(read._id);
    if (now === null || now.gone === true) throw noSuchDevice(device.name);
    read = now;
  }
  throw new ApiError('busy', `The device "${device.name}" is being changed by others all the time. Try again.`);
}

/**
 * Throws busy unless a job of the kind could begin on the device as it was read. Call it before a preparation that is costly or uses the
 * phone.
 */
export function assertMayBegin(device: DeviceDocument, kind: JobKindWord): void {
  if (device.job !== undefined) throw busyWithJob(device, device.job);
  if (!transitions[kind].from.includes(device.state)) throw busyInState(device, kind);
}

/**
 * Accepts a job on the device `name` without reading it first. The device must be idle in the right state and visible to the caller, and
 * have `plan` when that is given. Returns undefined otherwise; reading the device shows which of these is the reason.
 */
export async function acceptJobByName(
  context: DevicesContext,
  caller: Caller,
  name: string,
  kind: JobKindWord,
  plan?: PlanWord,
): Promise<DeviceDocument | undefined> {
  const { from, change } = transitions[kind];
  const { accountId, keyId, groupId } = caller;
  const claimed = await context.devices.claims.byName(
    { accountId, name, keyId, seen: seenBy(caller), plan },
    from,
    newJob(context.clock, { kind, requestedBy: keyId, ...(groupId !== undefined && { groupId }) }),
    withStateEvent(undefined, change ?? {}, context.clock.now()),
  );
  if (claimed !== undefined) context.dispatch.begin(claimed);
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
