import pLimit from 'p-limit';
import { databaseUnavailable } from '../../../kit/errors/database-unavailable.js';
import { ApiError, INTERNAL_MESSAGE } from '../../../kit/errors/api-error.js';
import { createGroup, createGroupId } from '../runs/create-group.js';
import { callerOfMaker } from '../../accounts/callers/group-rights.js';
import { SCHEDULE_LATE_MS, SCHEDULE_STUCK_MS } from '../limits.js';
import type { ScheduleDocument } from '../../store/schedules.js';
import { nextRun } from './next-run.js';
import { readScheduleSteps } from './schedule-steps.js';
import type { GroupRuns } from '../runs/group-runs.js';
import type { FleetContext } from '../fleet-context.js';

/**
 * How many schedules are read at a time, and how many are begun at the same time. The database joins simultaneous updates into one write.
 */
const BATCH = 200;
const AT_ONCE = 100;

const TOO_LATE = 'The service was down at the time and for more than an hour after it.';

/**
 * Begins the runs of schedules when they are due. Any number of processes may watch. One update claims a run: it also sets the time of the
 * next run, and the id of the group that this run makes. The group is made after that. A process that ends in between leaves the claim, and
 * another process makes the group of that same id.
 *
 * The claim is no lease (kit/db/leases.ts): two processes may begin one run, and nothing is renewed, taken over or released.
 */
export class ScheduleWatch {
  readonly #options: FleetContext;
  readonly #runs: GroupRuns;

  constructor(options: FleetContext, runs: GroupRuns) {
    this.#options = options;
    this.#runs = runs;
  }

  /** Begins the schedules that are due. */
  async tick(): Promise<void> {
    const { schedules, clock } = this.#options;
    for (;;) {
      const due = await schedules.findDue(new Date(clock.now()), BATCH);
      const claimed = await this.#each(due, (schedule) => this.#claim(schedule));
      if (due.length < BATCH || claimed === 0) break;
    }
    const stuck = await schedules.findStuck(new Date(clock.now() - SCHEDULE_STUCK_MS), BATCH);
    await this.#each(stuck, (schedule) => this.#beginStuck(schedule));
  }

  /**
   * Does the work on each schedule. Returns the number of schedules for which it succeeded. A failed schedule does not keep the others from
   * being run, unless the database is away.
   */
  async #each(schedules: ScheduleDocument[], work: (schedule: ScheduleDocument) => Promise<void>): Promise<number> {
    const limit = pLimit(AT_ONCE);
    let succeeded = 0;
    await limit.map(schedules, async (schedule) => {
      try {
        await work(schedule);
        succeeded++;
      } catch (error) {
        if (databaseUnavailable(error) !== undefined) {
          limit.clearQueue();
          throw error;
        }
        this.#options.log.error({ schedule: schedule._id, err: error }, 'a schedule could not be begun; trying again');
      }
    });
    return succeeded;
  }

  async #claim(schedule: ScheduleDocument): Promise<void> {
    const { schedules, clock } = this.#options;
    const now = clock.now();
    const at = lastDue(schedule, now);
    const next = { nextRunAt: new Date(nextRun(schedule, now)) };
    if (now - at > SCHEDULE_LATE_MS) {
      const reason = TOO_LATE;
      await schedules.claim(schedule, { ...next, lastRun: { at: new Date(at), state: 'skipped', reason } });
      return;
    }
    const begun = { at: new Date(at), groupId: createGroupId(clock), claimedAt: new Date(now) };
    const claimed = await schedules.claim(schedule, { ...next, begun });
    if (claimed !== undefined) await this.#begin(claimed);
  }

  /** Begins a run that was claimed by a process that has ended. A run that would be late, or of a schedule that was disabled, is skipped. */
  async #beginStuck(schedule: ScheduleDocument): Promise<void> {
    const { begun, _id, nextRunAt } = schedule;
    if (begun === undefined) return;
    const { schedules, groups, clock } = this.#options;
    const { at, groupId } = begun;
    // The process may have ended after it had made the group.
    if ((await groups.find(groupId)) !== null) {
      await schedules.begun(_id, groupId, { at, state: 'running', groupId });
      return;
    }
    const isLate = clock.now() - at.getTime() > SCHEDULE_LATE_MS;
    if (!isLate && nextRunAt !== undefined) return this.#begin(schedule);
    const reason = isLate ? TOO_LATE : 'The schedule was disabled before the run had begun.';
    await schedules.begun(_id, groupId, { at, state: 'skipped', reason });
  }

  async #begin({ begun, ...schedule }: ScheduleDocument): Promise<void> {
    if (begun === undefined) return;
    const { schedules, stepsBox, log } = this.#options;
    const { _id, accountId, maker, devices, steps, concurrency, onError } = schedule;
    const { at, groupId } = begun;
    try {
      const caller = await callerOfMaker(this.#options, accountId, maker);
      const stepCount = readScheduleSteps(schedule, stepsBox).length;
      const order = { _id: groupId, schedule: { id: _id, at }, devices, steps, stepCount, concurrency, onError };
      await createGroup(this.#options, this.#runs, caller, order);
      await schedules.begun(_id, groupId, { at, state: 'running', groupId });
    } catch (error) {
      // The claim stays, and the run is begun again.
      if (databaseUnavailable(error) !== undefined) throw error;
      if (!(error instanceof ApiError) || error.cause !== undefined)
        log.error({ schedule: _id, err: error }, 'a schedule could not be run');
      const reason = error instanceof ApiError ? error.message : INTERNAL_MESSAGE;
      await schedules.begun(_id, groupId, { at, state: 'failed', reason });
    }
  }
}

/** Returns the latest time at which the schedule was due. */
function lastDue(schedule: ScheduleDocument, nowMs: number): number {
  let at = schedule.nextRunAt?.getTime() ?? nowMs;
  for (let next = nextRun(schedule, at); next <= nowMs; next = nextRun(schedule, at)) at = next;
  return at;
}
