import { OpenCall } from '../../kit/call.js';
import type { Clock } from '../../kit/clock.js';
import { ApiError, INTERNAL_MESSAGE } from '../../kit/errors.js';
import type { Log } from '../../kit/log.js';
import { traceOf } from '../../kit/trace.js';
import type { GroupStep } from '../../proto/gen/cloudphone/device/v1/group_pb.js';
import { GROUP_LIMIT_MS } from '../limits.js';
import type { JobOutcome } from '../store/device-document.js';
import type { GroupDevice, GroupDocument, GroupStore } from '../store/groups.js';
import type { KeyStore } from '../store/keys.js';
import { callerOfMaker, groupAuthorization } from './group-rights.js';
import { outlast } from './outlast.js';
import { mayRepeat, runStep, type StepParts } from './run-step.js';

export interface RunGroupParts extends StepParts {
  groups: GroupStore;
  keys: KeyStore;
  clock: Clock;
  log: Log;
}

export interface GroupRunOptions {
  steps: readonly GroupStep[];
  /** The credentials of the run. */
  token: string;
  /** Breaks the run off. */
  signal: AbortSignal;
  /** Lets the run end after the steps that are under way. */
  cancelled: AbortSignal;
}

/** Another process has the group. */
export class LostRun extends Error {
  override name = 'LostRun';
}

/**
 * Runs the remaining steps of a group, on `concurrency` devices at a time, and returns its outcome. The database
 * is updated before a step begins: a process that takes the group over after a crash knows which steps may have been done. It does again
 * those that lead to the same end, and reports the others as failed. Once `cancelled` is aborted no step begins: steps under way are
 * finished, except a pause, which ends. Throws LostRun, or the signal's reason.
 */
export async function runGroup(
  parts: RunGroupParts,
  group: GroupDocument,
  { steps, token, signal, cancelled }: GroupRunOptions,
): Promise<Pick<JobOutcome, 'state' | 'error'>> {
  const run = new GroupRunState(parts, group, steps, token, signal, cancelled);
  const indexes = group.devices.keys();
  const lanes = Array.from({ length: Math.min(group.concurrency, group.devices.length) }, async () => {
    // Each lane takes the next device from the one iterator.
    for (const index of indexes) await run.runDevice(index);
  });
  const failed = (await Promise.allSettled(lanes)).find((lane) => lane.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return run.outcome();
}

class GroupRunState {
  readonly #devices: GroupDevice[];

  constructor(
    private readonly parts: RunGroupParts,
    private readonly group: GroupDocument,
    private readonly steps: readonly GroupStep[],
    private readonly token: string,
    private readonly signal: AbortSignal,
    private readonly cancelled: AbortSignal,
  ) {
    this.#devices = [...group.devices];
  }

  async runDevice(index: number): Promise<void> {
    let device = this.#devices[index];
    if (device === undefined || device.state === 'done' || device.state === 'failed' || device.state === 'skipped')
      return;
    if (device.state === 'running' && !this.#mayRepeat(device.step)) {
      return this.#note(index, { ...device, state: 'failed', error: interrupted(device.step) });
    }
    for (const [at, step] of this.steps.entries()) {
      if (at < device.step) continue;
      if (this.#isStopping()) return this.#note(index, { ...device, state: 'skipped' });
      device = { ...device, state: 'running', step: at };
      await this.#note(index, device);
      try {
        await this.#runStep(step, device);
      } catch (error) {
        this.signal.throwIfAborted();
        if (this.cancelled.aborted && step.kind.case === 'wait')
          return this.#note(index, { ...device, state: 'skipped' });
        return this.#note(index, { ...device, state: 'failed', error: this.#errorOf(error, device) });
      }
    }
    return this.#note(index, { ...device, state: 'done', step: this.steps.length });
  }

  outcome(): Pick<JobOutcome, 'state' | 'error'> {
    const done = this.#devices.filter(({ state }) => state === 'done');
    if (this.cancelled.aborted && done.length < this.#devices.length) {
      const counted = `${done.length} of ${this.#devices.length} devices had done all steps`;
      const message = `The group was cancelled when ${counted}; GET /v1/groups/${this.group._id} shows each.`;
      return { state: 'failed', error: { error: 'busy', message } };
    }
    const failed = this.#devices.filter(({ state }) => state === 'failed');
    const [first] = failed;
    if (first?.error === undefined) return { state: 'done' };
    const counted = `${failed.length} of ${this.#devices.length} devices failed; GET /v1/groups/${this.group._id} shows each.`;
    return {
      state: 'failed',
      error: { error: first.error.error, message: `${counted} "${first.name}": ${first.error.message}` },
    };
  }

  #mayRepeat(index: number): boolean {
    const step = this.steps[index];
    return step === undefined || mayRepeat(step);
  }

  #isStopping(): boolean {
    if (this.cancelled.aborted) return true;
    return this.group.onError === 'stop' && this.#devices.some(({ state }) => state === 'failed');
  }

  async #runStep(step: GroupStep, device: GroupDevice): Promise<void> {
    const { accountId, maker, _id } = this.group;
    const caller = await this.#outlast(() => callerOfMaker(this.parts, accountId, maker));
    // A call of its own, and not the run's signal: listeners that a step leaves on a signal go with the step.
    const call = new OpenCall({
      clock: this.parts.clock,
      requestId: `${_id}/${device.name}/${device.step}`,
      trace: traceOf(undefined, undefined),
      authorization: groupAuthorization(_id, this.token),
      signal: step.kind.case === 'wait' ? AbortSignal.any([this.signal, this.cancelled]) : this.signal,
      timeoutMs: GROUP_LIMIT_MS,
    });
    try {
      await runStep(this.parts, step, { call: Object.assign(call, { caller }), device });
    } finally {
      call.end();
    }
  }

  async #note(index: number, device: GroupDevice): Promise<void> {
    this.#devices[index] = device;
    if (!(await this.#outlast(() => this.parts.groups.note(this.group, index, device)))) throw new LostRun();
  }

  #outlast<T>(work: () => Promise<T>): Promise<T> {
    return outlast(this.parts.clock, this.signal, work);
  }

  #errorOf(error: unknown, { name }: GroupDevice): NonNullable<GroupDevice['error']> {
    if (error instanceof ApiError) return { error: error.kind, message: error.message };
    this.parts.log.error({ group: this.group._id, device: name, err: error }, 'a step of a group failed');
    return { error: 'internal', message: INTERNAL_MESSAGE };
  }
}

function interrupted(step: number): NonNullable<GroupDevice['error']> {
  return {
    error: 'unavailable',
    message: `The service was restarted during step ${step}, which may have been done. Look at the screen before it is repeated.`,
  };
}
