import type { PhoneDriver } from '../../../phone/driver.js';
import type { SnapshotDocument, SnapshotStore } from '../../store/snapshots.js';
import type { TemplateWork } from '../../store/job-work.js';
import type { TemplateStore } from '../../store/templates.js';
import { JobFailure } from '../jobs/job-failure.js';
import type { Worker } from '../jobs/worker.js';
import { snapshotsOf } from '../phones/phone-drivers.js';

/** The progress at which the snapshot was read, and the one at which it is copied. After that, the copy is read for its checksum. */
const CHECKED_PERCENT = 30;
const COPIED_PERCENT = 70;

/** Does the work of a job `template`. It may be done again: a copy that is whole is kept. */
export function saveTemplate({
  templates,
  snapshots,
  fetchSnapshot,
  hostId,
}: {
  templates: TemplateStore;
  snapshots: SnapshotStore;
  /** Gets files of a snapshot that this host lacks. */
  fetchSnapshot: (snapshot: SnapshotDocument, driver: PhoneDriver, signal: AbortSignal) => Promise<void>;
  hostId: string;
}): Worker<TemplateWork> {
  return async ({ work: { templateId }, device: { job }, driver, signal, onProgress }) => {
    const template = await templates.find(templateId);
    if (template?.state === 'ready') return { result: { template: template.name } };
    const snapshot = await snapshots.find(job?.snapshot ?? '');
    // A deletion of the snapshot that comes from here on finds this job, and is refused.
    if (template?.state !== 'saving' || snapshot?.state !== 'ready') throw gone();
    const files = snapshotsOf(driver);
    await fetchSnapshot(snapshot, driver, signal);
    await files.check(snapshot._id, { signal });
    onProgress(CHECKED_PERCENT);
    const onCopied = (percent: number): void =>
      onProgress(CHECKED_PERCENT + (percent * (COPIED_PERCENT - CHECKED_PERCENT)) / 100);
    const { sizeBytes } = await files.copy(snapshot._id, templateId, { signal, onProgress: onCopied });
    const archive = await driver.moves?.describe({ snapshotIds: [templateId] }, { signal });
    const image = await files.imageOf?.(templateId);
    const saved = { sizeBytes, ...(archive && { archive }), ...(image !== undefined && { image }) };
    if (!(await templates.saved(templateId, hostId, saved))) throw gone();
    return { result: { template: template.name } };
  };
}

function gone(): JobFailure {
  const message =
    'The snapshot or the template was deleted or lost before the template was saved. Send the request again.';
  return new JobFailure({ error: 'not_found', message });
}
