import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import type { SecretBox } from '../../kit/secret-box.js';
import { sharedAbort } from '../../kit/within.js';
import type { FinishedJobs } from '../events/finished-jobs.js';
import type { JobWaits } from '../jobs/job-waits.js';
import { GROUP_LEASE_MS, GROUP_LIMIT_MS } from '../limits.js';
import type { JobOutcome } from '../store/device-document.js';
import type { GroupDocument } from '../store/groups.js';
import { type JobStore, JOB_KEPT_MS } from '../store/jobs.js';
import type { ScheduleStore } from '../store/schedules.js';
import { groupJobDocument } from './group-message.js';
import { createRunToken } from './group-rights.js';
import { LostRun, runGroup, type RunGroupParts } from './run-group.js';
import { readSteps } from './stored-steps.js';

export interface GroupRunsOptions extends RunGroupParts {
  schedules: ScheduleStore;
  jobs: JobStore;
  finishedJobs: FinishedJobs;
  waits: JobWaits;
  hostId: string;
  box: SecretBox | undefined;
  clock: Clock;
  log: Log;
}

/**
 * The groups that this process is at work on. Each is leased; a group whose lease has lapsed is taken over by any process of the service,
 * at the latest GROUP_LEASE_MS after a crash. The end of a group is one update of its document; after that its job is filed, and its event
 * published, which is repeated until it succeeds.
 */
export class GroupRuns {
  readonly #options: GroupRunsOptions;
  /** By the run's id. */
  readonly #runs = new Map<string, { ended: Promise<void>; abort: AbortController }>();

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
    const ended = this.#run(group, token, abort)
      .catch((error: unknown) => {
        if (abort.signal.aborted || error instanceof LostRun) return;
        // Its lease lapses, and the group is taken over.
        log.error({ group: group._id, err: error }, 'a group broke off; it is begun again');
      })
      .finally(() => this.#runs.delete(group.runId));
    this.#runs.set(group.runId, { ended, abort });
  }

  /** Renews the leases, takes groups over whose process has gone, and files those that have ended. */
  async tick(): Promise<void> {
    const { groups, clock } = this.#options;
    const now = clock.now();
    if (this.#runs.size > 0) await groups.renew([...this.#runs.keys()], new Date(now + GROUP_LEASE_MS));
    for (const group of await groups.listOpen()) {
      if (this.#runs.has(group.runId) || group.leaseUntil.getTime() > now) continue;
      if (group.outcome === undefined) await this.#takeOver(group);
      else await this.#file({ ...group, outcome: group.outcome });
    }
  }

  /** Breaks off running groups, once there are no ticks any more. They go on with the next process, which need not wait for the leases. */
  async close(): Promise<void> {
    const runIds = [...this.#runs.keys()];
    const runs = [...this.#runs.values()];
    for (const { abort } of runs) abort.abort(new Error('the service is closing'));
    await Promise.all(runs.map(({ ended }) => ended));
    await this.#options.groups.renew(runIds, new Date(0)).catch(() => undefined); // they lapse then by themselves
  }

  async #takeOver(group: GroupDocument): Promise<void> {
    const { fields, token } = this.lease();
    const taken = await this.#options.groups.take(group, fields);
    if (taken === undefined) return;
    this.#options.log.info({ group: group._id }, 'a group is taken over');
    this.begin(taken, token);
  }

  async #run(group: GroupDocument, token: string, abort: AbortController): Promise<void> {
    const { clock, box } = this.#options;
    const leftMs = group.createdAt.getTime() + GROUP_LIMIT_MS - clock.now();
    const timer = clock.after(Math.max(0, leftMs), () => abort.abort(new TooLong()));
    try {
      const steps = readSteps(group.steps, group.schedule?.id ?? group._id, box);
      const outcome = await runGroup(this.#options, group, { steps, token, signal: abort.signal }).catch(
        (error: unknown) => {
          if (error instanceof TooLong) return error.outcome;
          throw error;
        },
      );
      await this.#end(group, { ...outcome, finishedAt: new Date(clock.now()) });
    } finally {
      timer.cancel();
    }
  }

  async #end(group: GroupDocument, outcome: JobOutcome): Promise<void> {
    const { groups, schedules } = this.#options;
    if (group.schedule !== undefined) {
      const { id, at } = group.schedule;
      const reason = outcome.error && { reason: outcome.error.message };
      await schedules.ended(id, { at, state: outcome.state, groupId: group._id, ...reason });
    }
    const expiresAt = new Date(outcome.finishedAt.getTime() + JOB_KEPT_MS);
    if (await groups.finish(group, outcome, expiresAt)) await this.#file({ ...group, outcome });
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

class TooLong extends Error {
  readonly outcome = {
    state: 'failed' as const,
    error: {
      error: 'timeout' as const,
      message: `The group had not ended after ${GROUP_LIMIT_MS / 3_600_000} hours, so it was broken off.`,
    },
  };
}
