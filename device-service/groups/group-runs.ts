import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { sharedAbort } from '../../kit/within.js';
import type { GroupStep } from '../../proto/gen/cloudphone/device/v1/group_pb.js';
import type { FinishedJobs } from '../events/finished-jobs.js';
import type { JobWaits } from '../jobs/job-waits.js';
import { GROUP_LEASE_MS } from '../limits.js';
import type { JobOutcome } from '../store/device-document.js';
import type { GroupDevice, GroupDocument, GroupRun } from '../store/groups.js';
import { type JobStore, JOB_KEPT_MS } from '../store/jobs.js';
import type { ScheduleStore } from '../store/schedules.js';
import { deadlineMs, devicesAfter, failureBeforeRun, GroupFailure, overdue, unreadable } from './group-failure.js';
import { groupJobDocument } from './group-message.js';
import { createRunToken } from './group-rights.js';
import { LostRun, runGroup, type RunGroupParts } from './run-group.js';
import type { StepsBox } from './steps-box.js';
import { readSteps } from './stored-steps.js';

export interface GroupRunsOptions extends RunGroupParts {
  schedules: ScheduleStore;
  jobs: JobStore;
  finishedJobs: FinishedJobs;
  waits: JobWaits;
  hostId: string;
  box: StepsBox;
  clock: Clock;
  log: Log;
}

/**
 * The groups that this process is at work on. Each is leased; a group whose lease has lapsed is taken over by any process of the service,
 * at the latest GROUP_LEASE_MS after a crash. The end of a group is one update of its document; after that its job is filed, and its event
 * published, which is repeated until it succeeds.
 *
 * A group whose steps cannot be read, whose time is up, or during which several processes ended, fails: the next process would not
 * get further.
 */
export class GroupRuns {
  readonly #options: GroupRunsOptions;
  /** By the run's id. */
  readonly #runs = new Map<
    string,
    { group: GroupRun; ended: Promise<void>; abort: AbortController; cancel: AbortController }
  >();

  constructor(options: GroupRunsOptions) {
    this.#options = options;
  }

  /** The fields of a new group that make it this process's; `begin` is called with the group once it is in the database. */
  lease(): { fields: Pick<GroupDocument, 'hostId' | 'runId' | 'leaseUntil'>; token: string } {
    const { token, runId } = createRunToken();
    const { hostId, clock } = this.#options;
    return { fields: { hostId, runId, leaseUntil: new Date(clock.now() + GROUP_LEASE_MS) }, token };
  }

  /** Begins to run a group whose lease this process has. */
  begin(group: GroupDocument, token: string): void {
    const { log } = this.#options;
    const abort = sharedAbort();
    const cancel = sharedAbort();
    if (group.cancelledAt !== undefined) cancel.abort();
    const ended = this.#run(group, token, abort, cancel.signal)
      .catch((error: unknown) => {
        const isClosing = abort.signal.aborted && !(abort.signal.reason instanceof GroupFailure);
        if (isClosing || error instanceof LostRun) return;
        // Its lease lapses, and the group is taken over.
        log.error({ group: group._id, err: error }, 'a group broke off; it is begun again');
      })
      .finally(() => this.#runs.delete(group.runId));
    this.#runs.set(group.runId, { group, ended, abort, cancel });
  }

  /** Ends the run of a cancelled group when it is one of this process's, after the steps that are under way. */
  cancel({ runId }: Pick<GroupDocument, 'runId'>): void {
    this.#runs.get(runId)?.cancel.abort();
  }

  /** Renews the leases, reads which groups other processes have cancelled, takes groups over whose process has gone, and files those that have ended. */
  async tick(): Promise<void> {
    const { groups, clock } = this.#options;
    const now = clock.now();
    if (this.#runs.size > 0) {
      const runs = [...this.#runs.values()].map(({ group }) => group);
      await groups.renew(runs, new Date(now + GROUP_LEASE_MS));
    }
    for (const group of await groups.listOpen()) {
      if (group.cancelledAt !== undefined) this.cancel(group);
      if (this.#runs.has(group.runId) || group.leaseUntil.getTime() > now) continue;
      if (group.outcome === undefined) await this.#takeOver(group);
      else await this.#file({ ...group, outcome: group.outcome });
    }
  }

  /** Breaks off running groups, once there are no ticks any more. They go on with the next process, which need not wait for the leases. */
  async close(): Promise<void> {
    const runs = [...this.#runs.values()];
    const groups = runs.map(({ group }) => group);
    for (const { abort } of runs) abort.abort(new Error('the service is closing'));
    await Promise.all(runs.map(({ ended }) => ended));
    await this.#options.groups.renew(groups, RELEASED).catch(() => undefined); // they lapse then by themselves
  }

  async #takeOver(group: GroupDocument): Promise<void> {
    const { fields, token } = this.lease();
    // A process that closed is no sign that the group ends processes, however often the service is deployed.
    const broken = group.leaseUntil.getTime() === RELEASED.getTime() ? 0 : 1;
    const taken = await this.#options.groups.take(group, { ...fields, takeovers: (group.takeovers ?? 0) + broken });
    if (taken === undefined) return;
    this.#options.log.info({ group: group._id }, 'a group is taken over');
    this.begin(taken, token);
  }

  async #run(group: GroupDocument, token: string, abort: AbortController, cancelled: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const leftMs = deadlineMs(group) - clock.now();
    const timer = clock.after(Math.max(0, leftMs), () => abort.abort(overdue(group)));
    try {
      const failure = failureBeforeRun(group, clock.now());
      if (failure !== undefined) throw failure;
      const steps = this.#readSteps(group);
      const outcome = await runGroup(this.#options, group, { steps, token, signal: abort.signal, cancelled });
      await this.#end(group, { ...outcome, finishedAt: new Date(clock.now()) });
    } catch (error) {
      if (!(error instanceof GroupFailure)) throw error;
      await this.#fail(group, error);
    } finally {
      timer.cancel();
    }
  }

  #readSteps(group: GroupDocument): GroupStep[] {
    try {
      return readSteps(group.steps, group.schedule?.id ?? group._id, this.#options.box);
    } catch (error) {
      throw unreadable(error);
    }
  }

  async #fail(group: GroupDocument, failure: GroupFailure): Promise<void> {
    const { groups, clock, log } = this.#options;
    log.warn({ group: group._id, err: failure }, 'a group failed');
    const read = await groups.find(group._id);
    if (read?.runId !== group.runId) throw new LostRun();
    const outcome = { state: 'failed' as const, error: failure.error, finishedAt: new Date(clock.now()) };
    await this.#end(group, outcome, devicesAfter(failure, read.devices));
  }

  /** `devices`: their last states. Absent: as they are in the database. */
  async #end(group: GroupDocument, outcome: JobOutcome, devices?: GroupDevice[]): Promise<void> {
    const { groups, schedules } = this.#options;
    if (group.schedule !== undefined) {
      const { id, at } = group.schedule;
      const reason = outcome.error && { reason: outcome.error.message };
      await schedules.ended(id, { at, state: outcome.state, groupId: group._id, ...reason });
    }
    const expiresAt = new Date(outcome.finishedAt.getTime() + JOB_KEPT_MS);
    if (await groups.finish(group, { outcome, expiresAt, ...(devices && { devices }) }))
      await this.#file({ ...group, outcome });
  }

  /** Files the group's job; the group is known to be filed once the job is found there. */
  async #file(group: GroupDocument & { outcome: JobOutcome }): Promise<void> {
    const { jobs, groups, finishedJobs, waits } = this.#options;
    if ((await jobs.find(group.jobId)) !== null) return groups.close(group._id);
    const job = groupJobDocument(group);
    waits.ended(job);
    finishedJobs.add(job);
  }
}

/** The lease of a group that its process gave back as it closed. */
const RELEASED = new Date(0);
