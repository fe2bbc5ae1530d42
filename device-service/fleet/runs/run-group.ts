import pLimit from 'p-limit';
import { OpenCall } from '../../../kit/call/call.js';
import { ApiError, INTERNAL_MESSAGE } from '../../../kit/errors/api-error.js';
import { traceOf } from '../../../kit/log/trace.js';
import type { GroupStep } from '../../../proto/gen/cloudphone/device/v1/group_pb.js';
import { GROUP_LIMIT_MS } from '../limits.js';
import type { JobOutcome } from '../../store/device-document.js';
import type { GroupDevice, GroupDocument } from '../../store/groups.js';
import { callerOfGroup, groupAuthorization } from '../../accounts/callers/group-rights.js';
import { onceAvailable } from './once-available.js';
import { untilGivenBack, wasHandedOver } from './once-given-back.js';
import { mayRepeat, runStep } from './run-step.js';
import type { FleetContext } from '../fleet-context.js';

/** Thrown when another process has the group. */
export class LostRun extends Error {
  override name = 'LostRun';
}

/**
 * Runs the remaining steps of a group, on `concurrency` devices at a time, and returns its outcome. The database is updated before a step
 * begins. So a process that takes the group over after a crash knows which step of a device may have been done. That process repeats the
 * step if a repetition leads to the same end. Otherwise, it records the device as failed.
 *
 * Once `cancelled` is aborted, no step begins. Steps under way are finished, but a pause ends at once. `token` is the credential of the
 * run; `signal` breaks the run off. Throws LostRun, or the signal's reason.
 */
export async function runGroup(
  context: FleetContext,
  group: GroupDocument,
  {
    steps,
    token,
    signal,
    cancelled,
  }: { steps: readonly GroupStep[]; token: string; signal: AbortSignal; cancelled: AbortSignal },
): Promise<Pick<JobOutcome, 'state' | 'error'>> {
  const run = new GroupRunState(context, group, steps, token, signal, cancelled);
  const limit = pLimit({ concurrency: group.concurrency, rejectOnClear: true });
  const ends = await Promise.allSettled(
    group.devices.map((_, index) =>
      limit(async () => {
        try {
          await run.runDevice(index);
        } catch (error) {
          // The run is over: no further device begins, and those under way are waited for.
          limit.clearQueue();
          throw error;
        }
      }),
    ),
  );
  // Devices begin in their order, so the first rejection comes from a device that had begun, not from the cleared queue.
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return run.outcome();
}

class GroupRunState {
  readonly #devices: GroupDevice[];

  constructor(
    private readonly context: FleetContext,
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
      device = { ...device, step: at };
      const end = await this.#runToEnd(index, device, step);
      if (end !== undefined) return this.#note(index, { ...device, ...end });
    }
    return this.#note(index, { ...device, state: 'done', step: this.steps.length });
  }

  /**
   * Does a step of a device. Returns how the device ends if no step of it follows. A step that a hand-over of the phone refuses or breaks
   * off is done again when the person gives the phone back. Meanwhile the device waits, so that a crash does not lose the step.
   */
  async #runToEnd(
    index: number,
    device: GroupDevice,
    step: GroupStep,
  ): Promise<Pick<GroupDevice, 'state' | 'error'> | undefined> {
    for (;;) {
      if (this.#isStopping()) return { state: 'skipped' };
      await this.#note(index, { ...device, state: 'running' });
      const sinceMs = this.context.clock.now();
      try {
        await this.#runStep(step, device);
        return undefined;
      } catch (error) {
        this.signal.throwIfAborted();
        if (this.cancelled.aborted && step.kind.case === 'wait') return { state: 'skipped' };
        const waiting = { accountId: this.group.accountId, device, signal: this.signal };
        if (!(await wasHandedOver(this.context, waiting, { error, sinceMs })))
          return { state: 'failed', error: this.#errorOf(error, device) };
        await this.#note(index, { ...device, state: 'waiting' });
        await untilGivenBack(this.context, waiting, this.cancelled);
      }
    }
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
    const { _id } = this.group;
    const caller = await this.#onceAvailable(() => callerOfGroup(this.context, this.group));
    // Each step gets the signal of its own call, not the run's. So the listeners that a step leaves behind do not outlive the step.
    const call = new OpenCall({
      clock: this.context.clock,
      requestId: `${_id}/${device.name}/${device.step}`,
      trace: traceOf(undefined, undefined),
      authorization: groupAuthorization(_id, this.token),
      signals: step.kind.case === 'wait' ? [this.signal, this.cancelled] : [this.signal],
      timeoutMs: GROUP_LIMIT_MS,
    });
    try {
      await runStep(this.context, step, { call: Object.assign(call, { caller }), device });
    } finally {
      call.end();
    }
  }

  async #note(index: number, device: GroupDevice): Promise<void> {
    this.#devices[index] = device;
    if (!(await this.#onceAvailable(() => this.context.groups.note(this.group, index, device)))) throw new LostRun();
  }

  #onceAvailable<T>(work: () => Promise<T>): Promise<T> {
    return onceAvailable(this.context.clock, this.signal, work);
  }

  #errorOf(error: unknown, { name }: GroupDevice): NonNullable<GroupDevice['error']> {
    if (error instanceof ApiError) return { error: error.kind, message: error.message };
    this.context.log.error({ group: this.group._id, device: name, err: error }, 'a step of a group failed');
    return { error: 'internal', message: INTERNAL_MESSAGE };
  }
}

function interrupted(step: number): NonNullable<GroupDevice['error']> {
  return {
    error: 'unavailable',
    message: `The service was restarted during step ${step}, which may have been done. Look at the screen before it is repeated.`,
  };
}
