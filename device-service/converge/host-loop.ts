import { type Loop, repeat } from '../../kit/repeat.js';
import { sharedAbort } from '../../kit/within.js';
import { newJob } from '../jobs/new-job.js';
import { withHealthEvents } from '../health/problem-change.js';
import { JOB_POLL_MS, RETRY_FIRST_MS, RETRY_MOST_MS, STEP_MS, SWEEP_MS } from '../limits.js';
import type { DeviceDocument } from '../store/devices.js';
import type { JobKindWord } from '../store/device-document.js';
import { stopped } from './device-run.js';
import { doJob, type DoJobParts, type EndedJob } from './do-job.js';
import { repairOf } from './idle-device.js';
import { LostPhones } from './lost-phones.js';
import { inspectPhone, withLimit } from './take-step.js';
import { UnownedPhones } from './unowned-phones.js';

export interface HostLoopOptions extends DoJobParts {
  hostId: string;
  /** The epoch of the host's lease: every write names it. */
  epoch: number;
  /** When the host's last process was last alive; undefined: it had none. */
  seenBefore: Date | undefined;
  /** Called after a job has ended. */
  onEnded: (ended: EndedJob) => void;
  /** Called when a device has got health events to publish. */
  onHealthEvents: () => void;
}

/**
 * Keeps the phones of this host as their devices want them. A phone is inspected when a job was accepted on its device,
 * when its driver or another service reports something of it, and with all others every 30 s. One at a time for each phone; an error
 * is tried again with growing pauses.
 *
 * All its decisions come from the database and the driver, so after a crash anywhere the next process continues. Writes name the epoch of
 * the host's lease: a process that was replaced changes nothing.
 */
export class HostLoop {
  readonly #options: HostLoopOptions;
  readonly #closing = sharedAbort();
  /** Phones that are being inspected, and whether each is to be inspected once more. */
  readonly #active = new Map<string, { again: boolean; ended: Promise<void> }>();
  /** Devices of the jobs that are being done, by job. */
  readonly #working = new Map<string, DeviceDocument>();
  readonly #lost: LostPhones;
  readonly #unowned: UnownedPhones;
  #swept = false;
  #loops: Loop[] = [];

  constructor(options: HostLoopOptions) {
    this.#options = options;
    this.#unowned = new UnownedPhones(options);
    this.#lost = new LostPhones(options);
  }

  /** Kinds of the jobs that are being done. */
  get kinds(): JobKindWord[] {
    return [...this.#working.values()].flatMap(({ job }) => job?.kind ?? []);
  }

  /** Takes over the host's devices, compares all phones with them, and goes on doing so. */
  async start(): Promise<void> {
    const { devices, drivers, hostId, epoch, clock, log } = this.#options;
    const { signal } = this.#closing;
    await devices.ofHost(hostId).takeAll(epoch);
    const onError = (error: unknown): void => {
      if (!signal.aborted)
        log.error({ err: error }, 'a driver reports no changes any more; phones are compared regularly');
    };
    drivers.watch(
      signal,
      ({ phoneId, reason }) => {
        log.info({ phone: phoneId, reason }, 'a phone changed by itself');
        this.#lost.note({ _id: phoneId }, !this.#swept);
        this.wake(phoneId);
      },
      onError,
    );
    await this.sweep();
    const firstMs = this.#swept ? SWEEP_MS : RETRY_FIRST_MS;
    this.#loops = [
      repeat({ clock, log, everyMs: SWEEP_MS, firstMs, step: 'compare all phones' }, () => this.#compare()),
      repeat({ clock, log, everyMs: JOB_POLL_MS, step: 'look for jobs' }, () => this.findJobs()),
    ];
  }

  /** Inspects a phone now. */
  wake(phoneId: string): void {
    // Before the first comparison a phone that does not run may have ended with the host's last process.
    this.#look(phoneId, undefined, !this.#swept);
  }

  /** Begins the job that has just been accepted on the device. */
  begin(device: DeviceDocument): void {
    this.#look(device._id, device);
  }

  /** Whether the phone was found not to run as recorded, or was not compared yet, so that its run may be over. */
  isDoubtful(device: Pick<DeviceDocument, '_id' | 'lostAt'>): boolean {
    return !this.#swept || this.#lost.has(device);
  }

  /** The device whose job this loop is doing; undefined when it is not. */
  deviceOf(jobId: string): DeviceDocument | undefined {
    return this.#working.get(jobId);
  }

  /** Lets jobs under way end for `drainMs`, then leaves it to the host's next process. */
  async close(drainMs = 10_000): Promise<void> {
    const loops = Promise.all(this.#loops.map((loop) => loop.close()));
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
      const restarted = !this.#swept;
      const known = await devices.ofHost(hostId).find();
      // Jobs first: one that was left behind goes on to its end, or to its deadline, though a driver cannot list its phones.
      const [idle, others] = partition(known, ({ job, fence }) => job === undefined && fence === this.#options.epoch);
      for (const { _id } of others) if (!this.#active.has(_id)) this.#look(_id, undefined, restarted);
      const phones = await withLimit(clock, STEP_MS.inspect * 3, signal, (limited) => drivers.list(limited));
      for (const device of idle) {
        const status = phones.get(device._id)?.status ?? { state: 'absent' };
        const at = { nowMs: clock.now(), lostMs: this.#lost.note(device, restarted), restarted };
        // It may have changed since it was read: it is read again before anything is done.
        if (repairOf(device, status, at).do !== 'nothing') this.#look(device._id, undefined, restarted);
        else this.#lost.forget(device._id);
      }
      this.#swept = true;
      await this.#unowned.seeTo(phones, new Set(known.map(({ _id }) => _id)), signal);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      log.warn({ err: error }, 'could not compare the phones with the database; trying again');
    }
  }

  /** Begins jobs that were accepted elsewhere and for which this host was not woken. Never throws. */
  async findJobs(): Promise<void> {
    const { devices, hostId, log } = this.#options;
    try {
      for (const { _id } of await devices.ofHost(hostId).findAtWork()) if (!this.#active.has(_id)) this.wake(_id);
    } catch (error) {
      log.warn({ err: error }, 'could not look for jobs; trying again');
    }
  }

  /** Sweeps; repeats it soon until a first sweep has succeeded, as that one starts the phones that a crash ended. */
  async #compare(): Promise<void> {
    const { signal } = this.#closing;
    await this.sweep();
    while (!this.#swept && !signal.aborted) {
      await this.#options.clock.sleep(RETRY_FIRST_MS, signal).catch(() => undefined);
      await this.sweep();
    }
  }

  #look(phoneId: string, accepted: DeviceDocument | undefined, restarted = false): void {
    if (this.#closing.signal.aborted) return;
    const active = this.#active.get(phoneId);
    if (active !== undefined) {
      active.again = true;
      return;
    }
    const look = { again: false, ended: Promise.resolve() };
    this.#active.set(phoneId, look);
    look.ended = this.#lookAt(phoneId, accepted, restarted).finally(() => {
      this.#active.delete(phoneId);
      if (look.again) this.wake(phoneId);
    });
  }

  /** Inspects one phone, and repairs it, until it is as its device wants it. Never throws. */
  async #lookAt(phoneId: string, accepted: DeviceDocument | undefined, restarted: boolean): Promise<void> {
    const { log, clock } = this.#options;
    const { signal } = this.#closing;
    const closed = (): boolean => signal.aborted;
    let given = accepted;
    for (let tries = 0; !closed(); tries++) {
      try {
        const device = given ?? (await this.#read(phoneId));
        if (device === undefined) return;
        // The phone of an accepted job is as recorded; any other is inspected first.
        const fresh = given !== undefined || device.job === undefined;
        given = undefined;
        const next = device.job === undefined ? await this.#repair(device, restarted) : device;
        if (next === undefined) return;
        await this.#work(next, fresh, restarted);
        // Work changes nothing in the record of the phone, which may have ended, or been rebooted, meanwhile.
        if (next.job?.work === undefined) return;
      } catch (error) {
        if (closed()) return;
        log.warn({ phone: phoneId, err: error }, 'could not bring a phone to its wanted state; trying again');
        await clock.sleep(Math.min(RETRY_FIRST_MS * 2 ** tries, RETRY_MOST_MS), signal).catch(() => undefined);
      }
    }
  }

  /** The device, driven by this process; undefined when it is gone, or another host's. */
  async #read(phoneId: string): Promise<DeviceDocument | undefined> {
    const { devices, hostId, epoch } = this.#options;
    const device = await devices.findById(phoneId);
    if (device === null || device.gone === true || device.hostId !== hostId) return undefined;
    if (device.fence === epoch) return device;
    if (device.fence > epoch) return undefined;
    // Accepted through another host that knew this one's last process only.
    await devices.take(phoneId, epoch);
    return this.#read(phoneId);
  }

  async #work(device: DeviceDocument, fresh: boolean, restarted: boolean): Promise<void> {
    const { job } = device;
    if (job === undefined) return;
    this.#working.set(job.id, device);
    try {
      const begun = fresh || job.work !== undefined ? device : await this.#endLostRun(device, restarted);
      if (begun === undefined) return;
      const ended = await doJob(this.#options, begun, { fresh, signal: this.#closing.signal });
      if (ended === undefined) return;
      if (job.work === undefined) this.#lost.forget(device._id);
      // Before the listeners are called, so that no caller begins to wait for the job after that.
      this.#working.delete(job.id);
      this.#options.onEnded(ended);
    } finally {
      this.#working.delete(job.id);
    }
  }

  /**
   * Ends the run of a phone that was lost before the job on its device was accepted, as when a stop is accepted while the host is down:
   * the run is charged up to the loss, and not up to the job. Returns undefined when the device is no longer this process's.
   */
  async #endLostRun(device: DeviceDocument, restarted: boolean): Promise<DeviceDocument | undefined> {
    const { devices, drivers, settle, clock } = this.#options;
    const lostMs = this.#lost.find(device, restarted);
    const { job, startedAt } = device;
    if (lostMs === undefined || startedAt === undefined || job === undefined || lostMs >= job.createdAt.getTime()) {
      return device;
    }
    const driver = drivers.of(device);
    const observed = await inspectPhone({ driver, clock }, device._id, this.#closing.signal);
    if (observed.state === 'running') return device;
    const endMs = Math.max(lostMs, startedAt.getTime());
    await settle(device, endMs);
    const { minutes } = stopped(device, endMs);
    return devices.change(device, { startedAt: null, ...(minutes !== undefined && { minutes }) });
  }

  /** Repairs the differences from the record. Returns the device with a job when the phone is to be started again. */
  async #repair(device: DeviceDocument, restarted: boolean): Promise<DeviceDocument | undefined> {
    const { devices, drivers, settle, clock, log, epoch } = this.#options;
    const driver = drivers.of(device);
    const { signal } = this.#closing;
    const observed = await inspectPhone({ driver, clock }, device._id, signal);
    const lostMs = this.#lost.note(device, restarted);
    const repair = repairOf(device, observed, { nowMs: clock.now(), lostMs, restarted });
    if (repair.do === 'nothing') {
      this.#lost.forget(device._id);
      return undefined;
    }
    const facts = { device: device.name, found: observed.state, recorded: device.state, repair: repair.do };
    // Simulated phones stop with `npm start`, so after its start that is no news.
    if (restarted && repair.do === 'start') log.info(facts, 'a phone is started again, as it ran before');
    else log.warn(facts, 'a phone is not as recorded');
    if (repair.do === 'stop') {
      await withLimit(clock, STEP_MS.stop, signal, (limited) => driver.stop(device._id, 'save', { signal: limited }));
      return undefined;
    }
    if (repair.endMs !== undefined) await settle(device, repair.endMs);
    if (repair.do === 'record') {
      const change = withHealthEvents(device, repair.change, clock.now());
      const changed = await devices.change(device, change);
      if (changed !== undefined && change.healthEvents !== undefined) this.#options.onHealthEvents();
      this.#lost.forget(device._id);
      return undefined;
    }
    const job = newJob(clock, { kind: 'start' });
    const change = { ...repair.change, state: 'starting' as const };
    const claimed = await devices.claim(device._id, [device.state], job, change);
    return claimed?.fence === epoch ? claimed : undefined;
  }
}

function partition<T>(all: readonly T[], belongs: (one: T) => boolean): [T[], T[]] {
  return [all.filter(belongs), all.filter((one) => !belongs(one))];
}
