import type { Clock } from '../../kit/clock.js';
import { databaseUnavailable } from '../../kit/database-unavailable.js';
import { ApiError, INTERNAL_MESSAGE } from '../../kit/errors.js';
import type { Log } from '../../kit/log.js';
import { createGroup, createGroupId, type CreateGroupParts } from '../groups/create-group.js';
import { callerOfMaker } from '../groups/group-rights.js';
import type { StepsBox } from '../groups/steps-box.js';
import { SCHEDULE_LATE_MS, SCHEDULE_STUCK_MS } from '../limits.js';
import type { AccountStore } from '../store/accounts.js';
import type { KeyStore } from '../store/keys.js';
import type { ScheduleDocument, ScheduleStore } from '../store/schedules.js';
import { nextRun } from './next-run.js';
import { readScheduleSteps } from './schedule-steps.js';

export interface ScheduleWatchOptions extends CreateGroupParts {
  schedules: ScheduleStore;
  accounts: AccountStore;
  keys: KeyStore;
  box: StepsBox;
  clock: Clock;
  log: Log;
}

/** Schedules read at a time, and begun at the same time: the database writes simultaneous updates in one go. */
const BATCH = 200;
const AT_ONCE = 100;

/**
 * Begins the runs of schedules when they are due. Any number of processes may watch: a run is claimed by one update, which also
 * sets the time of the next one and the id of the group that this one makes. The group is made after that; a process that ends in between leaves the claim,
 * and another one makes the group of that same id, so that there is one in any case.
 */
export class ScheduleWatch {
  readonly #options: ScheduleWatchOptions;

  constructor(options: ScheduleWatchOptions) {
    this.#options = options;
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
    await this.#each(stuck, (schedule) => this.#begin(schedule));
  }

  /** Returns for how many `work` succeeded. One that fails keeps no other from being run, unless the database is away. */
  async #each(schedules: ScheduleDocument[], work: (schedule: ScheduleDocument) => Promise<void>): Promise<number> {
    const left = schedules.values();
    let succeeded = 0;
    const lanes = Array.from({ length: AT_ONCE }, async () => {
      for (const schedule of left) {
        try {
          await work(schedule);
          succeeded++;
        } catch (error) {
          if (databaseUnavailable(error) !== undefined) throw error;
          this.#options.log.error(
            { schedule: schedule._id, err: error },
            'a schedule could not be begun; trying again',
          );
        }
      }
    });
    await Promise.all(lanes);
    return succeeded;
  }

  async #claim(schedule: ScheduleDocument): Promise<void> {
    const { schedules, clock } = this.#options;
    const now = clock.now();
    const at = lastDue(schedule, now);
    const next = { nextRunAt: new Date(nextRun(schedule, now)) };
    if (now - at > SCHEDULE_LATE_MS) {
      const reason = 'The service was down at the time and for more than an hour after it.';
      await schedules.claim(schedule, { ...next, lastRun: { at: new Date(at), state: 'skipped', reason } });
      return;
    }
    const begun = { at: new Date(at), groupId: createGroupId(clock), claimedAt: new Date(now) };
    const claimed = await schedules.claim(schedule, { ...next, begun });
    if (claimed !== undefined) await this.#begin(claimed);
  }

  async #begin({ begun, ...schedule }: ScheduleDocument): Promise<void> {
    if (begun === undefined) return;
    const { schedules, box, log } = this.#options;
    const { _id, accountId, maker, devices, steps, concurrency, onError } = schedule;
    const { at, groupId } = begun;
    try {
      const caller = await callerOfMaker(this.#options, accountId, maker);
      const stepCount = readScheduleSteps(schedule, box).length;
      const order = { _id: groupId, schedule: { id: _id, at }, devices, steps, stepCount, concurrency, onError };
      await createGroup(this.#options, caller, order);
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

/** The latest time at which the schedule was due. */
function lastDue(schedule: ScheduleDocument, nowMs: number): number {
  let at = schedule.nextRunAt?.getTime() ?? nowMs;
  for (let next = nextRun(schedule, at); next <= nowMs; next = nextRun(schedule, at)) at = next;
  return at;
}
