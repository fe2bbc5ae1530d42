import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { enumOf } from '../../kit/text/wire-words.js';
import { conditionsMessage } from '../../phone/conditions-message.js';
import {
  type Device,
  DeviceSchema,
  DeviceStateSchema,
  PlanSchema,
} from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { problemMessage } from './problem-message.js';
import type { DeviceDocument } from '../store/devices.js';
import { exitMessage } from './exit-message.js';
import { handoverMessage } from './handover-message.js';
import { leaseMessage } from './lease-message.js';
import { labelsByKey } from './labels.js';
import { minutesToday } from './running-minutes.js';

/** Returns a device as callers see it. */
export function deviceMessage(device: DeviceDocument, nowMs: number): Device {
  const startedMs = device.startedAt?.getTime();
  const { job, problem, lease, pool, handover } = device;
  const conditions = conditionsMessage(device.conditions);
  return create(DeviceSchema, {
    name: device.name,
    model: device.model,
    android: device.android,
    state: enumOf(DeviceStateSchema, device.state),
    exit: exitMessage(device.exit),
    uptime: startedMs === undefined ? 0 : Math.max(0, Math.floor((nowMs - startedMs) / 1000)),
    minutesToday: minutesToday(device.minutes, startedMs, nowMs),
    plan: enumOf(PlanSchema, device.plan),
    screen: device.screen,
    driver: device.driver,
    createdAt: timestampFromDate(device.createdAt),
    job: job?.id,
    problem: problem && problemMessage(problem),
    labels: labelsByKey(device.labels),
    timeline: device.timeline === true,
    idleStopS: device.idleStopS,
    ...(conditions !== undefined && { conditions }),
    ...(handover !== undefined && { handover: handoverMessage(device.name, handover) }),
    ...(lease !== undefined && lease.ended === undefined && { lease: leaseMessage(device.name, lease) }),
    ...(pool !== undefined && { pool: pool.name }),
  });
}
