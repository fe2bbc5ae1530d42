import { Cancellation } from '../../../kit/async/within.js';
import type { GroupStep } from '../../../proto/gen/cloudphone/device/v1/group_pb.js';
import { GROUP_LEASE_MS } from '../limits.js';
import type { JobOutcome } from '../../store/device-document.js';
import type { GroupDevice, GroupDocument, GroupRun, ListedGroup } from '../../store/groups.js';
import { JOB_KEPT_MS } from '../../store/jobs.js';
import {
  deadlineMs,
  devicesAfter,
  failureBeforeRun,
  GroupFailure,
  overdue,
  unreadable,
} from '../groups/group-failure.js';
import { groupJobDocument } from '../groups/group-message.js';
import { createRunToken } from '../../accounts/callers/group-rights.js';
import { LostRun, runGroup } from './run-group.js';
import { readSteps } from '../groups/stored-steps.js';
import type { FleetContext } from '../fleet-context.js';

/**
 * The groups that this process is at work on. Each is leased; a group whose lease has lapsed is taken over by any process of the service,
 * at the latest GROUP_LEASE_MS after a crash. A run does not stop when its lease is over. It notes each step by a fenced write before the
 * step begins, so only a step under way can outlast the lease. The end of a group is one update of its document. Then the job of the group
 * is filed and its event is published. Both are tried again until they succeed.
 *
 * A group fails if its steps cannot be read, its time is over, or several processes ended during it. The next process would not get
 * further.
 */
export class GroupRuns {
  readonly #options: FleetContext;
  /** Runs by their id. */
  readonly #runs = new Map<
    string,
    { group: GroupRun; ended: Promise<void>; abort: Cancellation; cancel: Cancellation }
  >();

  constructor(options: FleetContext) {
    this.#options = options;
  }

  /**
   * Returns the fields that give a group to this process, and the token of its run. The caller calls `begin` once the group is in the
   * database with these fields.
   */
  lease(): { fields: Pick<GroupDocument, 'hostId' | 'runId' | 'leaseUntil'>; token: string } {
    const { token, runId } = createRunToken();
    const { hostId, clock } = this.#options;
    return { fields: { hostId, runId, leaseUntil: new Date(clock.now() + GROUP_LEASE_MS) }, token };
  }

  /** Begins to run a group whose lease this process has. */
  begin(group: GroupDocument, token: string): void {
    const { log } = this.#options;
    const abort = new Cancellation();
    const cancel = new Cancellation();
    if (group.cancelledAt !== undefined) cancel.abort();
    const ended = this.#run(group, token, abort, cancel.signal)
      .catch((error: unknown) => {
        const isClosing = abort.signal.aborted && !(abort.signal.reason instanceof GroupFailure);
        if (isClosing || error instanceof LostRun) return;
        // The lease of the group lapses, and then the group is taken over.
        log.error({ group: group._id, err: error }, 'a group broke off; it is begun again');
      })
      .finally(() => this.#runs.delete(group.runId));
    this.#runs.set(group.runId, { group, ended, abort, cancel });
  }

  /** Ends the run of a cancelled group, if this process has it, after the steps that are under way. */
  cancel({ runId }: Pick<GroupDocument, 'runId'>): void {
    this.#runs.get(runId)?.cancel.abort();
  }

  /**
   * Renews the leases, and reads which groups other processes have cancelled. Takes over groups whose process has gone, and files those
   * that have ended.
   */
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

  /** Breaks off running groups, once there are no ticks any more. The next process continues them, and need not wait for the leases. */
  async close(): Promise<void> {
    const runs = [...this.#runs.values()];
    const groups = runs.map(({ group }) => group);
    for (const { abort } of runs) abort.abort(new Error('the service is closing'));
    await Promise.all(runs.map(({ ended }) => ended));
    await this.#options.groups.release(groups).catch(() => undefined); // The leases then lapse by themselves.
  }

  async #takeOver(group: ListedGroup): Promise<void> {
    const { fields, token } = this.lease();
    // `take` counts take-overs after lapsed leases alone. A process that closed, as in each deployment, is no sign that the group ends
    // processes.
    const taken = await this.#options.groups.take(group, fields);
    if (taken === undefined) return;
    this.#options.log.info({ group: group._id }, 'a group is taken over');
    this.begin(taken, token);
  }

  async #run(group: GroupDocument, token: string, abort: Cancellation, cancelled: AbortSignal): Promise<void> {
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
      return readSteps(group.steps, group.schedule?.id ?? group._id, this.#options.stepsBox);
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

  /** Ends the group. `devices` has their last states; absent: the states in the database are the last ones. */
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

  /** Files the group's job. If the job is filed already, the group is closed instead, and no longer listed as open. */
  async #file(group: ListedGroup & { outcome: JobOutcome }): Promise<void> {
    const { jobs, groups, finishedJobs, jobWaits } = this.#options;
    if ((await jobs.find(group.jobId)) !== null) return groups.close(group._id);
    const job = groupJobDocument(group);
    jobWaits.ended(job);
    finishedJobs.add(job);
  }
}
