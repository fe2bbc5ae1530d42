import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { createJsonEncoders } from '../../../kit/json/encode.js';
import type { Recording } from '../../../proto/gen/cloudphone/device/v1/recording_pb.js';
import type { Job } from '../../../proto/gen/cloudphone/device/v1/job_pb.js';
import {
  AppCrashedSchema,
  DeviceStateChangedSchema,
  HandoverChangedSchema,
  HealthChangedSchema,
  JobFinishedSchema,
  KeyExpiringSchema,
  LeaseChangedSchema,
  RecordingFinishedSchema,
} from '../../../proto/gen/cloudphone/webhook/v1/payload_pb.js';
import { LeaseReasonSchema } from '../../../proto/gen/cloudphone/device/v1/lease_pb.js';
import { handoverMessage } from '../../record/handover-message.js';
import { leaseMessage } from '../../record/lease-message.js';
import { problemMessage } from '../../record/problem-message.js';
import { enumOf } from '../../../kit/text/wire-words.js';
import { DeviceStateSchema } from '../../../proto/gen/cloudphone/device/v1/device_pb.js';
import type { DeviceProblem, DeviceStateWord } from '../../store/device-document.js';
import type { HandoverEvent } from '../../store/handover.js';
import type { CrashDocument } from '../../store/crashes.js';
import type { KeyDocument } from '../../store/keys.js';
import type { LeaseEvent } from '../../store/lease.js';

const encoderFor = createJsonEncoders();

/** Returns the body of job.finished, as receivers get it. The same job gives the same bytes each time. */
export function jobFinishedPayload(job: Job, finishedAt: Date): Buffer {
  const message = create(JobFinishedSchema, {
    event: 'job.finished',
    ts: timestampFromDate(finishedAt),
    phone: job.device,
    job,
  });
  return Buffer.from(encoderFor(JobFinishedSchema)(message), 'utf8');
}

/** Returns the body of health.problem and health.resolved. */
export function healthChangedPayload(event: string, phone: string, problem: DeviceProblem, at: Date): Buffer {
  const message = create(HealthChangedSchema, {
    event,
    ts: timestampFromDate(at),
    phone,
    problem: problemMessage(problem),
  });
  return Buffer.from(encoderFor(HealthChangedSchema)(message), 'utf8');
}

/** Returns the body of recording.finished. */
export function recordingFinishedPayload(recording: Recording, endedAt: Date): Buffer {
  const message = create(RecordingFinishedSchema, {
    event: 'recording.finished',
    ts: timestampFromDate(endedAt),
    phone: recording.device,
    recording,
  });
  return Buffer.from(encoderFor(RecordingFinishedSchema)(message), 'utf8');
}

/** Returns the body of app.crashed and app.not_responding. */
export function appCrashedPayload(event: string, crash: CrashDocument): Buffer {
  const { _id: id, device: phone, at, package: name, process, reason } = crash;
  const ts = timestampFromDate(at);
  const message = create(AppCrashedSchema, {
    ...{ event, ts, phone, crash: id, at: ts, process, reason },
    package: name,
  });
  return Buffer.from(encoderFor(AppCrashedSchema)(message), 'utf8');
}

/** Returns the body of key.expiring. */
export function keyExpiringPayload({ _id: key, name, expiringAt, expiresAt }: KeyDocument): Buffer {
  const message = create(KeyExpiringSchema, {
    ...{ event: 'key.expiring', key, name },
    ...(expiringAt && { ts: timestampFromDate(expiringAt) }),
    ...(expiresAt && { expiresAt: timestampFromDate(expiresAt) }),
  });
  return Buffer.from(encoderFor(KeyExpiringSchema)(message), 'utf8');
}

/** Returns the body of lease.begun and lease.ended. */
export function leaseChangedPayload(phone: string, { type: event, at, lease, reason }: LeaseEvent): Buffer {
  const message = create(LeaseChangedSchema, {
    ...{ event, ts: timestampFromDate(at), phone, lease: leaseMessage(phone, lease) },
    ...(reason !== undefined && { reason: enumOf(LeaseReasonSchema, reason) }),
  });
  return Buffer.from(encoderFor(LeaseChangedSchema)(message), 'utf8');
}

/** Returns the body of handover.begun and handover.ended. */
export function handoverChangedPayload(phone: string, { type: event, at, handover }: HandoverEvent): Buffer {
  const changed = { event, ts: timestampFromDate(at), phone, handover: handoverMessage(phone, handover) };
  return Buffer.from(encoderFor(HandoverChangedSchema)(create(HandoverChangedSchema, changed)), 'utf8');
}

/** Returns the data of device.state. */
export function stateChangedPayload(phone: string, state: DeviceStateWord, at: Date): Buffer {
  const message = create(DeviceStateChangedSchema, {
    event: 'device.state',
    ts: timestampFromDate(at),
    phone,
    state: enumOf(DeviceStateSchema, state),
  });
  return Buffer.from(encoderFor(DeviceStateChangedSchema)(message), 'utf8');
}
