import type { Clock } from '../../../kit/async/clock.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { createId } from '../../../kit/text/ids.js';
import { readPage } from '../../../kit/call/page.js';
import { creatorOf, hasMade, seesAll } from '../../../kit/rpc/may-see.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type {
  CreateScheduleRequest,
  ListSchedulesRequest,
  UpdateScheduleRequest,
} from '../../../proto/gen/cloudphone/device/v1/schedule_service_pb.js';
import { findVisibleDevice } from '../../accounts/callers/visibility.js';
import { makerOf } from '../../accounts/callers/group-rights.js';
import { onErrorWord } from '../groups/on-error.js';
import { storeSteps } from '../groups/stored-steps.js';
import { GROUP_CONCURRENCY, MAX_SCHEDULES } from '../limits.js';
import type { DeviceStore } from '../../store/devices.js';
import type { ScheduleChange, ScheduleDocument, ScheduleStore } from '../../store/schedules.js';
import { isTimezone } from '../../record/timezone.js';
import { nextRun, type WeeklyTime } from './next-run.js';
import type { FleetContext } from '../fleet-context.js';

/** Creates a schedule. */
export async function createSchedule(
  { schedules, devices, stepsBox, clock }: FleetContext,
  caller: Caller,
  request: CreateScheduleRequest,
): Promise<ScheduleDocument> {
  const { days, time, timezone, concurrency = GROUP_CONCURRENCY, onError, enabled = true } = request;
  const { accountId } = caller;
  assertTimezone(timezone);
  await assertVisible(devices, caller, request.devices);
  if ((await schedules.count(accountId)) >= MAX_SCHEDULES) {
    throw new ApiError('rate_limited', `An account has at most ${MAX_SCHEDULES} schedules. Delete one first.`);
  }
  const _id = createId('sch', clock.now());
  const schedule: ScheduleDocument = {
    _id,
    accountId,
    maker: makerOf(caller),
    createdBy: creatorOf(caller),
    devices: [...request.devices],
    days: [...days].sort(),
    time,
    timezone,
    steps: storeSteps(request.steps, _id, stepsBox),
    concurrency,
    onError: onErrorWord(onError),
    createdAt: new Date(clock.now()),
    ...(enabled && { nextRunAt: nextRunAt({ days, time, timezone }, clock) }),
  };
  await schedules.insert(schedule);
  return schedule;
}

/**
 * Changes the fields that the request sets. The schedule's later runs have the rights of this caller, and not of the caller who changed or
 * created it before. So nobody gains the rights of another by changing a schedule.
 */
export async function updateSchedule(
  { schedules, devices, stepsBox, clock }: FleetContext,
  caller: Caller,
  request: UpdateScheduleRequest,
): Promise<ScheduleDocument> {
  const schedule = await findVisibleSchedule(schedules, caller, request.id);
  const change: ScheduleChange = {
    maker: makerOf(caller),
    ...(request.devices.length > 0 && { devices: [...request.devices] }),
    ...(request.days.length > 0 && { days: [...request.days].sort() }),
    ...(request.time !== undefined && { time: request.time }),
    ...(request.timezone !== undefined && { timezone: request.timezone }),
    ...(request.steps.length > 0 && { steps: storeSteps(request.steps, schedule._id, stepsBox) }),
    ...(request.concurrency !== undefined && { concurrency: request.concurrency }),
    ...(request.onError !== undefined && { onError: onErrorWord(request.onError) }),
  };
  const changed = { ...schedule, ...change };
  assertTimezone(changed.timezone);
  // All devices are checked, as the caller may see the schedule without seeing each device.
  await assertVisible(devices, caller, changed.devices);
  const enabled = request.enabled ?? schedule.nextRunAt !== undefined;
  const next = enabled ? nextRunAt(changed, clock) : null;
  const written = await schedules.change(caller.accountId, schedule._id, change, next);
  if (written === null) throw noSuchSchedule(request.id);
  return written;
}

export async function deleteSchedule({ schedules }: FleetContext, caller: Caller, id: string): Promise<void> {
  const { _id } = await findVisibleSchedule(schedules, caller, id);
  if (!(await schedules.delete(caller.accountId, _id))) throw noSuchSchedule(id);
}

/** Returns a page of the schedules that the caller may see, oldest first. */
export function listSchedules(
  { schedules }: FleetContext,
  caller: Caller,
  request: ListSchedulesRequest,
): Promise<{ items: ScheduleDocument[]; nextCursor?: string }> {
  const { accountId } = caller;
  const createdBy = seesAll(caller) ? undefined : creatorOf(caller);
  return readPage(
    request,
    (limit, afterId) => schedules.list({ accountId, createdBy, afterId, limit }),
    ({ _id }) => _id,
  );
}

/** Returns a schedule that the caller may see: one that it created, or any of the account if it sees all devices. Throws not_found. */
export async function findVisibleSchedule(
  schedules: ScheduleStore,
  caller: Caller,
  id: string,
): Promise<ScheduleDocument> {
  const schedule = await schedules.find(caller.accountId, id);
  if (schedule === null || !(seesAll(caller) || hasMade(caller, schedule.createdBy))) throw noSuchSchedule(id);
  return schedule;
}

async function assertVisible(devices: DeviceStore, caller: Caller, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => findVisibleDevice(devices, caller, name)));
}

function assertTimezone(timezone: string): void {
  if (isTimezone(timezone)) return;
  throw new ApiError('bad_request', `timezone: "${timezone}" is not an IANA time zone, such as Europe/Berlin`);
}

function nextRunAt(time: WeeklyTime, clock: Clock): Date {
  return new Date(nextRun(time, clock.now()));
}

function noSuchSchedule(id: string): ApiError {
  return new ApiError('not_found', `There is no schedule "${id.slice(0, 40)}" that this key can see.`);
}
