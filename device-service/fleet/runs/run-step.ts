import { create } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import { ApiError, parseErrorKind } from '../../../kit/errors/api-error.js';
import { rpcOptions } from '../../../kit/rpc/call-crossing.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { GroupStep } from '../../../proto/gen/cloudphone/device/v1/group_pb.js';
import { JobState } from '../../../proto/gen/cloudphone/device/v1/job_pb.js';
import {
  type ActRequest,
  ActRequestSchema,
  ObserveDetail,
  type PerformActionRequest,
  PerformActionRequestSchema,
  type ScreenService,
} from '../../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { noSuchDevice } from '../../accounts/callers/visibility.js';
import { acceptInstall } from '../../devices/apps/change-apps.js';
import { runDeviceJob } from '../../devices/lifecycle/run-device-job.js';
import type { DeviceStateWord, JobKindWord } from '../../store/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import { endedJob, findGroupDevice, type StepContext } from './group-device.js';
import { onceAvailable } from './once-available.js';
import { beginRecording, endRecording } from './record-steps.js';
import type { FleetContext } from '../fleet-context.js';

/** Returns whether doing the step again, after a crash in the middle of it, leads to the same end. */
export function mayRepeat({ kind }: GroupStep): boolean {
  return kind.case !== 'action' && kind.case !== 'act';
}

/** Does one step on one device, to its end. Throws an ApiError when the step failed. */
export async function runStep(parts: FleetContext, { kind }: GroupStep, context: StepContext): Promise<void> {
  switch (kind.case) {
    case 'start':
    case 'stop':
    case 'restart':
      return runJob(parts, context, () => beginPower(parts, kind.case, context));
    case 'install':
      return runJob(parts, context, () => beginInstall(parts, kind.value.app, context));
    case 'openApp':
      return act(parts, create(ActRequestSchema, { step: { case: 'openApp', value: kind.value } }), context);
    case 'action':
      return perform(parts, kind.value, context);
    case 'act':
      return act(parts, kind.value, context);
    case 'record':
      return beginRecording(parts, kind.value, context);
    case 'stopRecording':
      return endRecording(parts, context);
    case 'wait':
      return parts.clock.sleep(kind.value.ms, context.call.signal);
    default:
      throw new Error(`there is no step of kind ${String(kind.case)}`);
  }
}

/** The state in which a step of the kind has nothing to do. */
const SO_ALREADY: Record<PowerKind, DeviceStateWord | undefined> = {
  start: 'running',
  stop: 'stopped',
  restart: undefined,
};

type PowerKind = 'start' | 'stop' | 'restart';

/** Begins a job on the device and waits for its end, through outages of the database too. */
async function runJob(
  parts: FleetContext,
  context: StepContext,
  begin: () => Promise<string | undefined>,
): Promise<void> {
  const { signal } = context.call;
  const jobId = await onceAvailable(parts.clock, signal, begin);
  if (jobId === undefined) return;
  const { state, error } = await endedJob(parts, context, jobId);
  if (state === JobState.FAILED) {
    throw new ApiError(parseErrorKind(error?.error), error?.message ?? 'The job failed.');
  }
}

/** Returns the job to wait for; undefined when there is nothing to do. */
async function beginPower(parts: FleetContext, kind: PowerKind, context: StepContext): Promise<string | undefined> {
  const device = await findGroupDevice(parts, context);
  const { caller } = context.call;
  const { name, state, job } = device;
  if (isOurs(device, kind, caller)) return job?.id;
  if (job === undefined && state === SO_ALREADY[kind]) return undefined;
  const accepted = await runDeviceJob(parts, caller, name, kind);
  if (accepted._id !== context.device.phoneId) throw noSuchDevice(name);
  return accepted.job?.id;
}

async function beginInstall(parts: FleetContext, app: string, context: StepContext): Promise<string | undefined> {
  const device = await findGroupDevice(parts, context);
  const { caller } = context.call;
  if (isOurs(device, 'install', caller)) return device.job?.id;
  return (await acceptInstall(parts, caller, device.name, app)).job?.id;
}

/**
 * Returns whether the device's present job was begun for this step. That is so after its reply was lost, or the process that requested it
 * has ended. A group does one step at a time on a device, so its group and kind identify the job.
 */
function isOurs({ job }: DeviceDocument, kind: JobKindWord, { groupId }: Caller): boolean {
  return job?.kind === kind && groupId !== undefined && job.groupId === groupId;
}

async function perform(parts: FleetContext, action: PerformActionRequest, context: StepContext): Promise<void> {
  const screen = await screenOf(parts, context);
  const request = create(PerformActionRequestSchema, { ...action, name: context.device.name });
  const { matches } = await screen.performAction(request, rpcOptions(context.call));
  if (action.action.case === 'findText' && matches.length === 0)
    throw new ApiError('not_found', `The text "${action.action.value.text}" is not on the screen.`);
}

async function act(parts: FleetContext, act: ActRequest, context: StepContext): Promise<void> {
  const screen = await screenOf(parts, context);
  const request = create(ActRequestSchema, { ...act, name: context.device.name, observe: ObserveDetail.NONE });
  const { failed, expectMet } = await screen.act(request, rpcOptions(context.call));
  if (failed !== undefined) throw new ApiError(parseErrorKind(failed.error), failed.message);
  if (!expectMet) throw new ApiError('timeout', 'The screen did not come to show the expected state.');
}

async function screenOf(parts: FleetContext, context: StepContext): Promise<Client<typeof ScreenService>> {
  if (parts.screen === undefined) throw new ApiError('unavailable', 'The screen service is not configured.');
  // Another device of the same name may have been made since, so the id is compared.
  await findGroupDevice(parts, context);
  return parts.screen;
}
