import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ApiError } from '../../../kit/errors/api-error.js';
import { enumOf } from '../../../kit/text/wire-words.js';
import { OnErrorSchema } from '../../../proto/gen/cloudphone/device/v1/group_pb.js';
import {
  type Schedule,
  ScheduleRunStateSchema,
  ScheduleSchema,
} from '../../../proto/gen/cloudphone/device/v1/schedule_pb.js';
import type { StepsBox } from '../groups/steps-box.js';
import { withoutSecrets } from '../groups/stored-steps.js';
import type { ScheduleDocument } from '../../store/schedules.js';
import { readScheduleSteps } from './schedule-steps.js';

/** Returns a schedule as callers see it. */
export function scheduleMessage(schedule: ScheduleDocument, box: StepsBox): Schedule {
  const { nextRunAt, lastRun } = schedule;
  return create(ScheduleSchema, {
    id: schedule._id,
    devices: schedule.devices,
    days: schedule.days,
    time: schedule.time,
    timezone: schedule.timezone,
    ...stepsOf(schedule, box),
    concurrency: schedule.concurrency,
    onError: enumOf(OnErrorSchema, schedule.onError),
    enabled: nextRunAt !== undefined,
    nextRunAt: nextRunAt && timestampFromDate(nextRunAt),
    lastRun: lastRun && {
      at: timestampFromDate(lastRun.at),
      state: enumOf(ScheduleRunStateSchema, lastRun.state),
      groupId: lastRun.groupId,
      reason: lastRun.reason,
    },
    createdAt: timestampFromDate(schedule.createdAt),
  });
}

/**
 * Returns the steps, or the reason why they cannot be read. A reason instead of an error lets the caller list the other schedules, and mend
 * this one.
 */
function stepsOf(schedule: ScheduleDocument, box: StepsBox): Pick<Schedule, 'steps' | 'stepsFault'> {
  try {
    return { steps: withoutSecrets(readScheduleSteps(schedule, box)) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { steps: [], stepsFault: error.message };
  }
}
