import { begunAhead } from '../../../kit/async/begun-ahead.js';
import pLimit, { type LimitFunction } from 'p-limit';
import { type Loop, repeat } from '../../../kit/errors/repeat.js';
import { Cancellation } from '../../../kit/async/within.js';
import {
  JOB_POLL_MS,
  OWN_STARTS_AT_ONCE,
  RETRY_FIRST_MS,
  MAX_RETRY_MS,
  STEP_MS,
  UNKNOWN_INSPECTED_AT_ONCE,
} from '../limits.js';
import { SWEEP_MS } from '../../record/limits.js';
import { hostLimit } from '../phones/host-limit.js';
import { within } from '../../../kit/async/within.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { JobKindWord } from '../../store/device-document.js';
import { converge, isNothing } from './converge.js';
import { doJob } from './do-job.js';
import { FailedRepairs } from './failed-repairs.js';
import { PendingCharges } from './pending-charges.js';
import { reconcile } from './reconcile.js';
import { inspectPhone } from './take-step.js';
import { UnownedPhones } from './unowned-phones.js';
import type { ConvergeContext } from './converge-context.js';

/**
 * Keeps the phones of this host as their devices want them. A phone is inspected when a job is accepted on its device, or when its driver
 * or another service reports something about it. All phones are compared every 30 s. Each phone has one inspection at a time; after an
 * error it is tried again with growing pauses.
 *
 * All decisions come from the database and the driver, so the next process can go on after a crash anywhere. Each write names the epoch
 * of the host's lease, so a process that was replaced changes nothing.
 */
export class HostLoop {
  readonly #options: ConvergeContext;
  readonly #closing = new Cancellation();
  /** Phones that are being inspected, and whether each is to be inspected once more. */
  readonly #active = new Map<string, { again: boolean; ended: Promise<void> }>();
  /** Devices of the jobs that are being done, by job. */
  readonly #working = new Map<string, DeviceDocument>();
  readonly #begunMs: number;
  readonly #unowned: UnownedPhones;
  readonly #pendingCharges: PendingCharges;
  /** Limits the starts that the service begins by itself. Each driver has its own limit, so that one that hangs delays no other. */
  readonly #ownStarts = new Map<string, LimitFunction>();
  /** Phones whose state the last comparison could not find out. */
  #unknown = new Set<string>();
  readonly #unknownInspections = pLimit(UNKNOWN_INSPECTED_AT_ONCE);
  #swept = false;
  #loops: Loop[] = [];

  constructor(options: Omit<ConvergeContext, 'failedRepairs' | 'bookkeepingFailures'>) {
    this.#options = { ...options, failedRepairs: new FailedRepairs(options), bookkeepingFailures: new Map() };
    this.#unowned = new UnownedPhones(options);
    this.#pendingCharges = new PendingCharges(this.#options);
    this.#begunMs = options.clock.now();
  }

  /** Returns the kinds of the jobs that are being done. */
  get kinds(): JobKindWord[] {
    return [...this.#working.values()].flatMap(({ job }) => job?.kind ?? []);
  }

  /** Takes over the host's devices, compares all phones with them, and goes on doing so. */
  async start(): Promise<void> {
    const { devices, drivers, hostId, epoch, seenBefore, clock, log } = this.#options;
    const { signal } = this.#closing;
    await devices.ofHost(hostId).takeAll(epoch, seenBefore);
    const onError = (error: unknown): void => {
      if (!signal.aborted)
        log.error({ err: error }, 'a driver reports no changes any more; phones are compared regularly');
    };
    drivers.watch(
      signal,
      ({ phoneId, reason }) => {
        log.info({ phone: phoneId, reason }, 'a phone changed by itself');
        this.#options.missed.note(phoneId);
        this.wake(phoneId);
      },
      onError,
    );
    await this.sweep();
    const firstMs = this.#swept ? SWEEP_MS : RETRY_FIRST_MS;
    this.#loops = [
      repeat({ clock, log, everyMs: SWEEP_MS, firstMs, step: 'compare all phones' }, () => this.#compare()),
      repeat({ clock, log, everyMs: JOB_POLL_MS, step: 'find jobs' }, () => this.findJobs()),
    ];
  }

  /** Inspects a phone now. */
  wake(phoneId: string): void {
    this.#startOn(phoneId, undefined);
  }

  /** Begins the job that has just been accepted on the device. */
  begin(device: DeviceDocument): void {
    const { hostId, epoch } = this.#options;
    // A process whose lease has ended may have accepted the job. Then the device is read again, and left to the process that has the
    // lease now.
    const isOwn = device.hostId === hostId && device.fence === epoch;
    this.#startOn(device._id, isOwn ? device : undefined);
  }

  /** Returns whether the phone's run may be over, as the phone was missed. */
  isDoubtful(device: Pick<DeviceDocument, '_id' | 'lostAt'>): boolean {
    return this.#options.missed.isDoubtful(device);
  }

  /** Returns the device whose job this loop is doing; undefined when it does not. */
  deviceOf(jobId: string): DeviceDocument | undefined {
    return this.#working.get(jobId);
  }

  /** Lets jobs under way end for `drainMs`, then leaves them to the host's next process. */
  async close(drainMs = 10_000): Promise<void> {
    const loops = begunAhead(Promise.all(this.#loops.map((loop) => loop.close())));
    const stop = new AbortController();
    const ends = (): Promise<unknown> => Promise.all([...this.#active.values()].map(({ ended }) => ended));
    if (this.#working.size > 0) {
      const drained = this.#options.clock.sleep(drainMs, stop.signal).catch(() => undefined);
      await Promise.race([ends(), drained]);
      stop.abort();
    }
    this.#closing.abort(new Error('closing'));
    await loops;
    await ends();
  }

  /** Compares all phones of the host with the database, and inspects those that differ. Never throws. */
  async sweep(): Promise<void> {
    const { devices, drivers, hostId, log, clock } = this.#options;
    try {
      const { signal } = this.#closing;
      const known = await devices.ofHost(hostId).find();
      // Jobs come first. So a job that was left behind goes on to its end, or to its deadline, even while a driver cannot list its
      // phones.
      const [idle, others] = partition(known, ({ job, fence }) => job === undefined && fence === this.#options.epoch);
      for (const { _id } of others) if (!this.#active.has(_id)) this.#startOn(_id, undefined);
      const { phones, failures } = await drivers.list((list) =>
        within(hostLimit(clock, STEP_MS.inspect * 3, signal), list),
      );
      signal.throwIfAborted();
      const isUnknown = ({ _id }: DeviceDocument): boolean => phones.get(_id)?.status.state === 'unknown';
      this.#unknown = new Set(idle.filter(isUnknown).map(({ _id }) => _id));
      for (const device of idle) {
        if (failures.has(device.driver)) continue;
        const status = phones.get(device._id)?.status ?? { state: 'absent' };
        if (device.startedAt !== undefined && status.state !== 'running') this.#options.missed.note(device._id);
        if (status.state === 'unknown') {
          // The inspection of such a phone is repeated until its driver responds.
          if (!this.#active.has(device._id)) this.#startOn(device._id, undefined);
          continue;
        }
        const missedMs = this.#options.missed.sinceMs(device._id);
        const decision = reconcile(device, status, { nowMs: clock.now(), begunMs: this.#begunMs, missedMs });
        // The device may have changed since it was read, so it is read again before anything is done.
        if (isNothing(decision)) this.#isWell(device._id);
        else this.#startOn(device._id, undefined);
      }
      this.#swept ||= failures.size === 0;
      await this.#pendingCharges.tryAgain(idle, signal);
      await this.#unowned.seeTo(phones, new Set(known.map(({ _id }) => _id)), signal);
      for (const [kind, error] of failures)
        log.warn({ kind, err: error }, 'a driver could not list its phones; trying again');
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      log.warn({ err: error }, 'could not compare the phones with the database; trying again');
    }
  }

  /** Begins jobs that were accepted elsewhere without waking this host. Never throws. */
  async findJobs(): Promise<void> {
    const { devices, hostId, log } = this.#options;
    try {
      for (const { _id } of await devices.ofHost(hostId).findAtWork()) if (!this.#active.has(_id)) this.wake(_id);
    } catch (error) {
      log.warn({ err: error }, 'could not find jobs; trying again');
    }
  }

  /** Sweeps. It repeats the sweep soon until one has succeeded, as the first that succeeds starts the phones that a crash ended. */
  async #compare(): Promise<void> {
    const { signal } = this.#closing;
    await this.sweep();
    for (let pauseMs = RETRY_FIRST_MS; !this.#swept && !signal.aborted; pauseMs = Math.min(pauseMs * 2, SWEEP_MS)) {
      await this.#options.clock.sleep(pauseMs, signal).catch(() => undefined);
      await this.sweep();
    }
  }

  /** Begins to converge a phone. If that is under way, the phone is converged once more. */
  #startOn(phoneId: string, accepted: DeviceDocument | undefined): void {
    if (this.#closing.signal.aborted) return;
    const active = this.#active.get(phoneId);
    if (active !== undefined) {
      active.again = true;
      return;
    }
    const entry = { again: false, ended: Promise.resolve() };
    this.#active.set(phoneId, entry);
    entry.ended = this.#converge(phoneId, accepted)
      .finally(() => {
        this.#active.delete(phoneId);
        if (entry.again) this.wake(phoneId);
      })
      .catch((err: unknown) => this.#options.log.error({ phone: phoneId, err }, 'a phone was left as it is'));
  }

  /** Inspects and repairs one phone, until it is as its device wants it. Never throws. */
  async #converge(phoneId: string, accepted: DeviceDocument | undefined): Promise<void> {
    const { log, clock } = this.#options;
    const { signal } = this.#closing;
    const closed = (): boolean => signal.aborted;
    let given = accepted;
    for (let tries = 0; !closed(); tries++) {
      try {
        const device = given ?? (await this.#read(phoneId));
        if (device === undefined) return;
        // The phone of an accepted job is assumed to be as recorded, unless it was missed. Any other phone is inspected first.
        const fresh = (given !== undefined || device.job === undefined) && !this.#options.missed.has(phoneId);
        given = undefined;
        const next = device.job === undefined ? await this.#repair(device) : device;
        if (next === undefined) return;
        await this.#work(next, fresh);
        // Work changes nothing in the record of the phone, but the phone may have ended or been rebooted meanwhile.
        if (next.job?.work === undefined && next.job?.apps === undefined) return;
      } catch (error) {
        if (closed()) return;
        log.warn({ phone: phoneId, err: error }, 'could not bring a phone to its wanted state; trying again');
        // The next comparison of all phones tries to repair it again.
        if (this.#options.failedRepairs.isReported(phoneId)) return;
        await clock.sleep(Math.min(RETRY_FIRST_MS * 2 ** tries, MAX_RETRY_MS), signal).catch(() => undefined);
      }
    }
  }

  /** Returns the device, driven by this process; undefined when it is gone, or another host has it. */
  async #read(phoneId: string): Promise<DeviceDocument | undefined> {
    const { devices, hostId, epoch } = this.#options;
    const device = await devices.findById(phoneId);
    if (device === null || device.gone === true || device.hostId !== hostId) return undefined;
    if (device.fence === epoch) return device;
    if (device.fence > epoch) return undefined;
    // Another host accepted the job, and knew only the epoch of this host's previous process.
    await devices.take(phoneId, hostId, epoch);
    return this.#read(phoneId);
  }

  async #work(device: DeviceDocument, fresh: boolean): Promise<void> {
    const { job } = device;
    if (job === undefined) return;
    this.#working.set(job.id, device);
    try {
      const options = { fresh, begunMs: this.#begunMs, signal: this.#closing.signal };
      const done = () => doJob(this.#options, device, options);
      const isOwn = job.requestedBy === undefined && job.kind === 'start';
      const ended = await (isOwn ? this.#ownStartsOf(device.driver)(done) : done());
      if (ended === undefined) {
        this.#working.delete(job.id);
        if (job.move !== undefined) this.#options.onMoved(device);
        return;
      }
      if (job.work === undefined && job.apps === undefined) this.#isWell(device._id);
      // The job is removed before the listeners are called, so that no caller begins to wait for it after that.
      this.#working.delete(job.id);
      this.#options.onEnded(ended);
    } finally {
      this.#working.delete(job.id);
    }
  }

  /** Repairs the differences from the record. Returns the device with a job when the phone is to be started again. */
  async #repair(device: DeviceDocument): Promise<DeviceDocument | undefined> {
    const { drivers, clock, log } = this.#options;
    const { signal } = this.#closing;
    const inspect = () => inspectPhone({ driver: drivers.of(device), clock }, device._id, signal);
    const inspected = (): ReturnType<typeof inspect> =>
      this.#unknown.has(device._id) ? this.#unknownInspections(inspect) : inspect();
    const observed = await inspected().catch(async (error: unknown) => {
      if (!signal.aborted) {
        const onError = (err: unknown): void => log.warn({ phone: device._id, err }, 'a missed phone is not written');
        await this.#options.missed.keep(device).catch(onError);
      }
      throw error;
    });
    this.#unknown.delete(device._id);
    if (observed.state === 'running') this.#options.missed.delete(device._id);
    else this.#options.missed.note(device._id);
    const limits = { signal, deadlineMs: Infinity };
    const repaired = await converge(this.#options, device, observed, { begunMs: this.#begunMs }, limits);
    this.#isWell(device._id);
    return repaired?.device.job === undefined ? undefined : repaired.device;
  }

  #ownStartsOf(driver: string): LimitFunction {
    const limit = this.#ownStarts.get(driver) ?? pLimit(OWN_STARTS_AT_ONCE);
    this.#ownStarts.set(driver, limit);
    return limit;
  }

  /** Clears what was noted about a phone, as the phone is now as its device wants it. */
  #isWell(phoneId: string): void {
    this.#options.missed.delete(phoneId);
    this.#options.failedRepairs.delete(phoneId);
  }
}

function partition<T>(all: readonly T[], belongs: (one: T) => boolean): [T[], T[]] {
  return [all.filter(belongs), all.filter((one) => !belongs(one))];
}
