import { ApiError } from '../../../kit/errors/api-error.js';
import type { GroupStep } from '../../../proto/gen/cloudphone/device/v1/group_pb.js';
import type { StepsBox } from '../groups/steps-box.js';
import { readSteps } from '../groups/stored-steps.js';
import type { ScheduleDocument } from '../../store/schedules.js';

/**
 * Returns the steps of a schedule. Throws `unavailable` where they cannot be read. A later release may have stored a kind of step that
 * this one does not have, or the steps were encrypted with another key. Only this schedule has the fault, and other schedules run on.
 */
export function readScheduleSteps({ _id, steps }: Pick<ScheduleDocument, '_id' | 'steps'>, box: StepsBox): GroupStep[] {
  try {
    return readSteps(steps, _id, box);
  } catch (cause) {
    const message =
      'The steps of this schedule were stored by another release of the service, or with another key, so they cannot be read. ' +
      `Send them again: PATCH /v1/schedules/${_id}.`;
    throw new ApiError('unavailable', message, { cause });
  }
}
