import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { enumOf } from '../../kit/wire-words.js';
import {
  type Group,
  GroupDeviceStateSchema,
  GroupSchema,
  GroupStateSchema,
  type GroupSummary,
  GroupSummarySchema,
} from '../../proto/gen/cloudphone/device/v1/group_pb.js';
import type { Job } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { jobMessage } from '../jobs/job-message.js';
import { labelsByKey } from '../labels/labels.js';
import type { GroupDocument } from '../store/groups.js';
import { type JobDocument, JOB_KEPT_MS } from '../store/jobs.js';

/** A group as callers see it. */
export function groupMessage(group: GroupDocument): Group {
  const { outcome } = group;
  return create(GroupSchema, {
    id: group._id,
    state: enumOf(GroupStateSchema, outcome?.state ?? 'running'),
    jobId: group.jobId,
    devices: group.devices.map(({ name, state, step, error }) => ({
      device: name,
      state: enumOf(GroupDeviceStateSchema, state),
      step,
      error,
    })),
    createdAt: timestampFromDate(group.createdAt),
    finishedAt: outcome && timestampFromDate(outcome.finishedAt),
    name: group.name,
    labels: labelsByKey(group.labels),
  });
}

/** A group as the list of all shows it. */
export function groupSummary({ _id, name, outcome, createdAt, devices, labels }: GroupDocument): GroupSummary {
  return create(GroupSummarySchema, {
    id: _id,
    name,
    state: enumOf(GroupStateSchema, outcome?.state ?? 'running'),
    createdAt: timestampFromDate(createdAt),
    devices: devices.length,
    labels: labelsByKey(labels),
  });
}

/** The group's job as callers see it. */
export function groupJob(group: GroupDocument): Job {
  return jobMessage({ ...jobFields(group), id: group.jobId });
}

/** The job of a group that has ended, as it is filed: of no device, and so visible to its maker and to callers that see all devices. */
export function groupJobDocument(group: GroupDocument & Required<Pick<GroupDocument, 'outcome'>>): JobDocument {
  return {
    ...jobFields(group),
    _id: group.jobId,
    accountId: group.accountId,
    phoneId: '',
    deviceCreatedBy: group.maker.id,
    outcome: group.outcome,
    expiresAt: new Date(group.outcome.finishedAt.getTime() + JOB_KEPT_MS),
  };
}

function jobFields({ devices, stepCount, createdAt, outcome }: GroupDocument) {
  const done = devices.reduce(
    (sum, { state, step }) => sum + (state === 'failed' || state === 'skipped' ? stepCount : step),
    0,
  );
  return {
    kind: 'group' as const,
    device: '',
    createdAt,
    progress: outcome === undefined ? Math.floor((done * 100) / (devices.length * stepCount)) : 100,
    ...(outcome !== undefined && { outcome }),
  };
}
