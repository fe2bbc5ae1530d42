import type { Timer } from '../../../kit/async/clock.js';
import type { OperationOptions, PhoneDriver } from '../../../phone/driver.js';
import { doWork, type WorkDone } from '../jobs/worker.js';
import { PROGRESS_MS, TEMPLATE_COPY_MS } from '../limits.js';
import { hostLimit } from '../phones/host-limit.js';
import { within } from '../../../kit/async/within.js';
import type { DeviceDocument } from '../../store/devices.js';
import { takeUpgradeStep, upgradesOf } from '../upgrades/upgrade-steps.js';
import type { Observation, Step } from './decision.js';
import { endedIdentity } from './reconcile.js';
import { installNext, percentOfJob } from './install-next.js';
import { type Fetched, pullFirst, whileFetching } from './pull-first.js';
import { inspectPhone, takeStep } from './take-step.js';
import type { ConvergeContext } from './converge-context.js';

export interface Limits {
  signal: AbortSignal;
  /** The job's deadline, by the clock's monotonic time. It moves while an image is fetched. */
  deadlineMs: number;
}

/** Performs one step. Returns the state of the phone after it, and the findings of work. */
export async function perform(
  context: ConvergeContext,
  step: Step,
  device: DeviceDocument,
  before: Observation | undefined,
  limits: Limits,
): Promise<{ observed: Observation; worked: WorkDone }> {
  const { drivers, clock, prepareExit, jobSnapshots } = context;
  const driver = drivers.of(device);
  const same: Observation = { ...(before ?? { state: 'absent' }), after: step };
  const { signal } = limits;
  const progress = progressWriter(context, device, step);
  try {
    if (step === 'check') {
      if (device.job?.template !== undefined) await checkTemplate(context, device, driver, limits, progress.write);
      else await jobSnapshots.assertWhole(device, driver, { signal, maxMs: limits.deadlineMs - clock.monotonicMs() });
      return { observed: same, worked: {} };
    }
    if (step === 'work') {
      const work = device.job?.work;
      if (work === undefined) throw new Error('there is no work to do for the job');
      const endpoint = before?.state === 'running' ? before.endpoint : undefined;
      const worked = await within(hostLimit(clock, limits.deadlineMs - clock.monotonicMs(), signal), (limited) =>
        doWork(context.workers, { work, device, driver, signal: limited, onProgress: progress.write }, endpoint),
      );
      return { observed: same, worked };
    }
    if (step === 'install') {
      const maxMs = limits.deadlineMs - clock.monotonicMs();
      const installed = await installNext(context, device, before, { signal, maxMs, onProgress: progress.write });
      return { observed: { ...same, installed }, worked: {} };
    }
    if (step === 'send') {
      const sent = await context.mover.send(device, driver, { signal, onProgress: progress.write });
      return { observed: { ...same, sent }, worked: {} };
    }
    if (step === 'arrive') {
      await context.mover.arrive(device, driver, signal);
      const found = await inspectPhone({ driver, clock }, device._id, signal);
      return { observed: { ...found, after: step }, worked: {} };
    }
    if (step === 'fetch') {
      const fetch = (options: OperationOptions): Promise<boolean> => upgradesOf(driver).fetch(device._id, options);
      const isOther = await whileFetching(context, device, fetch, limits, progress.write);
      return { observed: { ...same, upgraded: { isOther } }, worked: {} };
    }
    if (isUpgradeStep(step)) {
      const upgraded = await takeUpgradeStep(step, device, driver, { clock, signal, onProgress: progress.write });
      // A phone without its data is whole again once the copy is put back.
      const found = step === 'back' ? await inspectPhone({ driver, clock }, device._id, signal) : same;
      return { observed: { ...found, after: step, upgraded }, worked: {} };
    }
    if (step === 'create' || step === 'clone' || step === 'start')
      await pullFirst(context, device, driver, limits, progress.write);
    const maxMs = limits.deadlineMs - clock.monotonicMs();
    const options = { signal, maxMs, onProgress: progress.write };
    const after = await takeStep({ driver, clock, prepareExit }, step, device, options);
    if (step === 'start' && after.state === 'running' && after.endpoint.identity === endedIdentity(device)) {
      // After this error, the start is tried again after a pause, until the job's deadline.
      throw new Error('the driver started the phone without ending the start that a restart is to end');
    }
    return { observed: { ...after, after: step }, worked: {} };
  } finally {
    progress.stop();
  }
}

const TEMPLATE: Fetched = { phase: 'copying', timeoutMs: TEMPLATE_COPY_MS, what: 'template' };

/** Gets the files of the template that the phone is to be made from to this host, and reads all of them. */
async function checkTemplate(
  context: ConvergeContext,
  device: DeviceDocument,
  driver: PhoneDriver,
  limits: Limits,
  onProgress: (percent: number) => void,
): Promise<void> {
  const { jobTemplates } = context;
  const template = await jobTemplates.find(device);
  // The image comes first, as files for another one would be fetched in vain.
  await pullFirst(context, device, driver, limits, onProgress);
  const fetch = (options: OperationOptions): Promise<void> => jobTemplates.fetch(template, driver, options);
  await whileFetching(context, device, fetch, limits, onProgress, TEMPLATE);
  await jobTemplates.assertWhole(template, driver, limits.signal);
}

const UPGRADE_STEPS = ['survey', 'copy', 'image', 'verify', 'drop', 'back'] as const;

function isUpgradeStep(step: Step): step is (typeof UPGRADE_STEPS)[number] {
  return UPGRADE_STEPS.some((one) => one === step);
}

/**
 * Writes a job's progress at a bounded rate. If a write fails, the next one makes up for it. For jobs that the service began by itself, no
 * progress is written. No caller follows such jobs, and after a crash every phone has one.
 */
function progressWriter({ devices, clock, log }: ConvergeContext, device: DeviceDocument, step: Step) {
  const { job } = device;
  let timer: Timer | undefined;
  return {
    write: (percent: number): void => {
      const rounded = Math.min(Math.round(percentOfJob(job, step, percent)), 99);
      if (job?.requestedBy === undefined || rounded <= job.progress) return;
      job.progress = rounded;
      timer ??= clock.after(PROGRESS_MS, () => {
        timer = undefined;
        devices
          .noteJob(device, { progress: job.progress })
          .catch((error: unknown) => log.debug({ job: job.id, err: error }, 'could not write progress'));
      });
    },
    stop: (): void => timer?.cancel(),
  };
}
