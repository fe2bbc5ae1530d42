import { TimelineKind } from '../../../proto/gen/cloudphone/device/v1/timeline_pb.js';
import type { NewTimelineEntry } from '../../../proto/gen/cloudphone/device/v1/timeline_service_pb.js';
import { newEntry } from '../../../kit/timeline/new-entry.js';
import type { DeviceDocument, Job, JobKindWord } from '../../store/device-document.js';
import { shownExit } from '../../store/device-exit.js';

/** The kinds of jobs that timelines show. */
const KINDS: Partial<Record<JobKindWord, TimelineKind>> = {
  install: TimelineKind.INSTALL,
  uninstall: TimelineKind.INSTALL,
  network: TimelineKind.EXIT,
  rotate: TimelineKind.EXIT,
  snapshot: TimelineKind.SNAPSHOT,
  restore: TimelineKind.SNAPSHOT,
  template: TimelineKind.SNAPSHOT,
};

/**
 * Returns the entry of a job that has ended. `device` is the device as it was while the job was at work. Undefined where timelines do not
 * show this kind of job, or the device's timeline is off.
 */
export function jobEntry(
  { _id: phoneId, timeline, job: begun }: DeviceDocument,
  ended: Job,
): NewTimelineEntry | undefined {
  // An ended job no longer has its request.
  const job = begun?.id === ended.id ? { ...begun, ...ended } : ended;
  const kind = KINDS[job.kind];
  const { outcome, requestedBy } = job;
  if (kind === undefined || timeline !== true || outcome === undefined) return undefined;
  const atMs = job.createdAt.getTime();
  const { error } = outcome;
  return newEntry({
    // The id has the job's own time and number, so that a job has only one entry.
    id: `tl_${job.id.slice(job.id.indexOf('_') + 1)}`,
    phoneId,
    atMs,
    kind,
    keyId: requestedBy ?? '',
    request: { job: job.kind, ...detailsOf(job) },
    outcome: error?.error ?? 'done',
    durationMs: outcome.finishedAt.getTime() - atMs,
    ...(error !== undefined && { message: error.message }),
  });
}

function detailsOf({ work, snapshot }: Job): Record<string, unknown> {
  if (snapshot !== undefined) return { snapshot };
  switch (work?.kind) {
    case 'install':
    case 'uninstall':
      return { package: work.package };
    case 'network':
      // The entry leaves out how the exit is reached, as that contains secrets.
      return { exit: shownExit(work.exit) };
    case 'snapshot':
      return { snapshot: work.snapshotId, ...(work.label !== '' && { label: work.label }) };
    default:
      return {};
  }
}
