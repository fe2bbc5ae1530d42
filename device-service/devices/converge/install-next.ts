import { within } from '../../../kit/async/within.js';
import type { Job } from '../../store/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import { JobFailure } from '../jobs/job-failure.js';
import { JOB_LIMIT_MS } from '../limits.js';
import { hostLimit } from '../phones/host-limit.js';
import { appUnderWay } from './app-under-way.js';
import type { ConvergeContext } from './converge-context.js';
import type { Observation, Step } from './decision.js';

/** The part of the progress of a job with apps that belongs to making and starting the phone, percent. */
const MADE_PERCENT = 50;

/**
 * Installs the next app of a job that made a phone, by the worker of installs. Returns how many of the apps are installed then. Throws
 * JobFailure for a phone that could not be paid: many apps would keep it running.
 */
export async function installNext(
  { workers, drivers, isUnpaid, clock }: ConvergeContext,
  device: DeviceDocument,
  found: Observation | undefined,
  { signal, maxMs, onProgress }: { signal: AbortSignal; maxMs: number; onProgress: (percent: number) => void },
): Promise<number> {
  const app = appUnderWay(device);
  if (app === undefined || found?.state !== 'running') throw new Error('there is no app to install on the phone');
  if (isUnpaid(device._id)) {
    const message = 'The balance does not cover the phone any more, which is stopped. Add credit, then start it.';
    throw new JobFailure({ error: 'insufficient_funds', message });
  }
  const { endpoint } = found;
  const work = { kind: 'install' as const, package: app.package, from: app.from };
  const driver = drivers.of(device);
  await within(hostLimit(clock, Math.min(maxMs, JOB_LIMIT_MS.install), signal), (limited) =>
    workers.install({ work, device, driver, endpoint, signal: limited, onProgress }),
  );
  return (device.job?.appsInstalled ?? 0) + 1;
}

/** Returns the progress of the whole job for that of one step. Without apps, both are the same. */
export function percentOfJob(job: Job | undefined, step: Step, percent: number): number {
  const { apps = [], appsInstalled = 0 } = job ?? {};
  if (apps.length === 0) return percent;
  if (step !== 'install') return (percent * MADE_PERCENT) / 100;
  return MADE_PERCENT + ((100 - MADE_PERCENT) * (appsInstalled + percent / 100)) / apps.length;
}
