import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { enumOf } from '../../kit/text/wire-words.js';
import {
  type Handover,
  HandoverSchema,
  HandoverStateSchema,
} from '../../proto/gen/cloudphone/device/v1/handover_pb.js';
import type { DeviceHandover, PastHandover } from '../store/handover.js';
import { isSessionId } from '../store/sessions.js';

/** Returns a hand-over as callers see it. `url` is only given in the response that makes it. */
export function handoverMessage(device: string, handover: DeviceHandover | PastHandover, url?: string): Handover {
  const { id, reason, requestedBy, begunAt, expiresAt, taken } = handover;
  const ended = 'ended' in handover ? handover.ended : undefined;
  const state = ended?.state ?? (taken === undefined ? 'waiting' : 'taken');
  return create(HandoverSchema, {
    ...{ id, device, reason, requestedBy: requestedBy.name },
    state: enumOf(HandoverStateSchema, state),
    ...(url !== undefined && { url }),
    begunAt: timestampFromDate(begunAt),
    expiresAt: timestampFromDate(expiresAt),
    ...(taken && { takenAt: timestampFromDate(taken.at), takenBy: isSessionId(taken.by) ? 'panel' : 'share' }),
    ...(ended && { endedAt: timestampFromDate(ended.at) }),
    ...(ended?.state === 'done' && { result: ended.note === undefined ? {} : { note: ended.note } }),
  });
}
