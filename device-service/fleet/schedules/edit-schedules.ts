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
import { hasSecrets, storeSteps } from '../groups/stored-steps.js';
import type { StepsBox } from '../groups/steps-box.js';
import { GROUP_CONCURRENCY, MAX_SCHEDULES } from '../limits.js';
import type { DeviceStore } from '../../store/devices.js';
import type { ScheduleChange, ScheduleDocument, ScheduleStore } from '../../store/schedules.js';
import { isTimezone } from '../../record/timezone.js';
import { nextRun, type WeeklyTime } from './next-run.js';
import { readScheduleSteps } from './schedule-steps.js';
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

/** How often a change is tried where runs of the schedule begin meanwhile. */
const CHANGE_TRIES = 5;

/**
 * Changes the fields that the request sets. The schedule's later runs have the rights of this caller, and not of the caller who changed or
 * created it before. So nobody gains the rights of another by changing a schedule. A request that only disables the schedule needs no
 * rights to its devices, some of which may be gone, and changes nothing else.
 */
export async function updateSchedule(
  { schedules, devices, stepsBox, clock }: FleetContext,
  caller: Caller,
  request: UpdateScheduleRequest,
): Promise<ScheduleDocument> {
  for (let tries = 0; tries < CHANGE_TRIES; tries++) {
    const schedule = await findVisibleSchedule(schedules, caller, request.id);
    const fields: Omit<ScheduleChange, 'maker'> = {
      ...(request.devices.length > 0 && { devices: [...request.devices] }),
      ...(request.days.length > 0 && { days: [...request.days].sort() }),
      ...(request.time !== undefined && { time: request.time }),
      ...(request.timezone !== undefined && { timezone: request.timezone }),
      ...(request.steps.length > 0 && { steps: storeSteps(request.steps, schedule._id, stepsBox) }),
      ...(request.concurrency !== undefined && { concurrency: request.concurrency }),
      ...(request.onError !== undefined && { onError: onErrorWord(request.onError) }),
    };
    const onlyDisables = request.enabled === false && Object.keys(fields).length === 0;
    const changed = { ...schedule, ...fields };
    if (!onlyDisables) {
      assertTimezone(changed.timezone);
      // All devices are checked, as the caller may see the schedule without seeing each device.
      await assertVisible(devices, caller, changed.devices);
    }
    if (request.devices.length > 0 && request.steps.length === 0) assertOwnSecrets(schedule, caller, stepsBox);
    const change = onlyDisables ? {} : { ...fields, maker: makerOf(caller) };
    const written = await schedules.change(schedule, change, nextRunOf(schedule, changed, request, clock));
    if (written !== null) return written;
  }
  throw new ApiError('busy', `The schedule "${request.id}" is being changed by others all the time. Try again.`);
}

/**
 * Throws bad_request where the steps of a schedule have secret texts of another caller, as they would be typed on devices that this caller
 * chooses.
 */
function assertOwnSecrets(schedule: ScheduleDocument, caller: Caller, stepsBox: StepsBox): void {
  const maker = makerOf(caller);
  const isOwn =
    schedule.maker.memberId === undefined ? schedule.maker.id === maker.id : schedule.maker.memberId === maker.memberId;
  if (isOwn || !hasSecrets(readScheduleSteps(schedule, stepsBox))) return;
  throw new ApiError(
    'bad_request',
    'devices: the steps have secret texts that another caller has sent. Send steps too, with the texts themselves.',
  );
}

/** Returns when the changed schedule runs next. Null: it is disabled. Undefined: as before, so that a run that is due is not put off. */
function nextRunOf(
  before: ScheduleDocument,
  changed: ScheduleDocument,
  { enabled, days, time, timezone }: UpdateScheduleRequest,
  clock: Clock,
): Date | null | undefined {
  if (enabled === false) return null;
  const wasEnabled = before.nextRunAt !== undefined;
  if (!wasEnabled && enabled !== true) return undefined;
  const isMoved = days.length > 0 || time !== undefined || timezone !== undefined;
  return wasEnabled && !isMoved ? undefined : nextRunAt(changed, clock);
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
