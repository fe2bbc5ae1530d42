import { TimelineKind } from '../../proto/gen/cloudphone/device/v1/timeline_pb.js';
import type { NewTimelineEntry } from '../../proto/gen/cloudphone/device/v1/timeline_service_pb.js';
import { newEntry } from '../../kit/timeline/new-entry.js';
import type { DeviceDocument, Job, JobKindWord } from '../store/device-document.js';
import { shownExit } from '../store/device-exit.js';

/** The jobs that timelines have. */
const KINDS: Partial<Record<JobKindWord, TimelineKind>> = {
  install: TimelineKind.INSTALL,
  uninstall: TimelineKind.INSTALL,
  network: TimelineKind.EXIT,
  rotate: TimelineKind.EXIT,
  snapshot: TimelineKind.SNAPSHOT,
  restore: TimelineKind.SNAPSHOT,
};

/** The entry of a job that has ended, of its device as it was while the job was at work; undefined where timelines have none of its kind, or the device's is off. */
export function jobEntry(
  { _id: phoneId, timeline, job: begun }: DeviceDocument,
  ended: Job,
): NewTimelineEntry | undefined {
  // An ended job has nothing of its request any more.
  const job = begun?.id === ended.id ? { ...begun, ...ended } : ended;
  const kind = KINDS[job.kind];
  const { outcome, requestedBy } = job;
  if (kind === undefined || timeline !== true || outcome === undefined) return undefined;
  const atMs = job.createdAt.getTime();
  const { error } = outcome;
  return newEntry({
    // The job's own time and number, so that a job has one entry.
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
      // Nothing of how the exit is reached: that holds secrets.
      return { exit: shownExit(work.exit) };
    case 'snapshot':
      return { snapshot: work.snapshotId, ...(work.label !== '' && { label: work.label }) };
    default:
      return {};
  }
}
