import type { ServiceImpl } from '@connectrpc/connect';
import { callerOf } from '../../../kit/rpc/context.js';
import type { Schedule } from '../../../proto/gen/cloudphone/device/v1/schedule_pb.js';
import type { ScheduleService } from '../../../proto/gen/cloudphone/device/v1/schedule_service_pb.js';
import {
  createSchedule,
  deleteSchedule,
  findVisibleSchedule,
  listSchedules,
  updateSchedule,
} from '../schedules/edit-schedules.js';
import { scheduleMessage } from '../schedules/schedule-message.js';
import type { ScheduleDocument } from '../../store/schedules.js';
import type { FleetContext } from '../fleet-context.js';

/** Adapts the operations of schedules to their rpcs. */
export function scheduleRpc(parts: FleetContext): ServiceImpl<typeof ScheduleService> {
  const message = (schedule: ScheduleDocument): Schedule => scheduleMessage(schedule, parts.stepsBox);
  return {
    listSchedules: async (request, context) => {
      const { items, ...page } = await listSchedules(parts, callerOf(context), request);
      return { schedules: items.map(message), ...page };
    },
    createSchedule: async (request, context) => ({
      schedule: message(await createSchedule(parts, callerOf(context), request)),
    }),
    getSchedule: async ({ id }, context) => ({
      schedule: message(await findVisibleSchedule(parts.schedules, callerOf(context), id)),
    }),
    updateSchedule: async (request, context) => ({
      schedule: message(await updateSchedule(parts, callerOf(context), request)),
    }),
    deleteSchedule: async ({ id }, context) => {
      await deleteSchedule(parts, callerOf(context), id);
      return {};
    },
  };
}
