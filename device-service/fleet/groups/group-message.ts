import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { enumOf } from '../../../kit/text/wire-words.js';
import {
  type Group,
  GroupDeviceStateSchema,
  GroupSchema,
  GroupStateSchema,
  type GroupSummary,
  GroupSummarySchema,
} from '../../../proto/gen/cloudphone/device/v1/group_pb.js';
import type { Job } from '../../../proto/gen/cloudphone/device/v1/job_pb.js';
import { jobMessage } from '../../record/job-message.js';
import { labelsByKey } from '../../record/labels.js';
import { type GroupDocument, idOfMaker, type ListedGroup } from '../../store/groups.js';
import { type JobDocument, JOB_KEPT_MS } from '../../store/jobs.js';

/** Returns a group as callers see it. */
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

/** Returns a group as the list of all groups shows it. */
export function groupSummary({ _id, name, outcome, createdAt, devices, labels }: ListedGroup): GroupSummary {
  return create(GroupSummarySchema, {
    id: _id,
    name,
    state: enumOf(GroupStateSchema, outcome?.state ?? 'running'),
    createdAt: timestampFromDate(createdAt),
    devices: devices.length,
    labels: labelsByKey(labels),
  });
}

/** Returns the group's job as callers see it. */
export function groupJob(group: ListedGroup): Job {
  return jobMessage({ ...jobFields(group), id: group.jobId });
}

/**
 * Returns the document that is stored for the job of a group that has ended. The job has no device. So it is visible only to the group's
 * maker and to callers that see all devices.
 */
export function groupJobDocument(group: ListedGroup & Required<Pick<ListedGroup, 'outcome'>>): JobDocument {
  return {
    ...jobFields(group),
    _id: group.jobId,
    accountId: group.accountId,
    phoneId: '',
    deviceCreatedBy: idOfMaker(group.maker),
    outcome: group.outcome,
    expiresAt: new Date(group.outcome.finishedAt.getTime() + JOB_KEPT_MS),
  };
}

function jobFields({ devices, stepCount, createdAt, outcome }: ListedGroup) {
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
