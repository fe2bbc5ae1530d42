import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { type Loop, repeat } from '../../kit/repeat.js';
import { withLimit } from '../converge/take-step.js';
import { HOST_BEAT_MS, HOST_LEASE_MS } from '../limits.js';
import type { HostDocument, HostDriver, HostStore } from '../store/hosts.js';

export interface HostLeaseOptions {
  hosts: HostStore;
  hostId: string;
  /** Of the data folder, which this process has locked. */
  folderId: string;
  /** The phones that this host can take now. */
  measure: () => Promise<HostDriver[]>;
  /** Called when another process has got the lease: this one must end. */
  lost: (reason: Error) => void;
  clock: Clock;
  log: Log;
}

/**
 * Makes this process the one that drives a host's phones. The lease is a record in the database; its epoch grows with each process
 * that gets it, and fences the writes of the one before.
 *
 * A host is bound to its data folder, where its phones are: a process with another folder would find none of them, so it is refused
 * unless the host was forgotten. One with the same folder has its lock (kit/folder-lock.ts), so its predecessor is dead or will
 * find its writes refused; it gets the lease at once. That makes a restart after kill -9 quick.
 */
export class HostLease {
  readonly #options: HostLeaseOptions;
  readonly epoch: number;
  /** When the host's last process was last alive; undefined: it had none. */
  readonly seenBefore: Date | undefined;
  #drivers: HostDriver[];
  #url: string | undefined;
  #renewedMs: number;
  #steadySinceMs: number;
  #beats: Loop | undefined;
  readonly #closing = new AbortController();

  private constructor(options: HostLeaseOptions, host: HostDocument, seenBefore: Date | undefined) {
    this.#options = options;
    this.epoch = host.epoch;
    this.seenBefore = seenBefore;
    this.#drivers = host.drivers;
    this.#renewedMs = this.#steadySinceMs = options.clock.monotonicMs();
  }

  /** Throws one line when the host is another data folder's. */
  static async acquire(options: HostLeaseOptions): Promise<HostLease> {
    const { hosts, hostId, folderId, measure, clock, log } = options;
    // Without a measure it gets no new devices until the first renewal; the jobs of those that it has go on.
    const drivers = await withLimit(clock, HOST_BEAT_MS, new AbortController().signal, measure).catch(
      (error: unknown) => {
        log.warn({ err: error }, 'could not measure the room for phones on this host');
        return [];
      },
    );
    for (;;) {
      const lease = { folderId, drivers, seenAt: new Date(clock.now()), leaseUntil: leaseEnd(clock) };
      const before = await hosts.find(hostId);
      if (before === null) {
        const host: HostDocument = { _id: hostId, epoch: 1, ...lease };
        if (await hosts.insert(host)) return new HostLease(options, host, undefined);
        continue;
      }
      if (before.folderId !== folderId && before.forgotten !== true)
        throw new Error(belongsElsewhere(before, clock.now()));
      const taken = await hosts.take(before, lease);
      if (taken !== undefined) return new HostLease(options, taken, before.seenAt);
    }
  }

  /** The phones that this host could take when it was last measured. */
  get drivers(): readonly HostDriver[] {
    return this.#drivers;
  }

  /** How long the lease has been renewed without a break, ms: for so long this process knows that the database works. */
  get steadyMs(): number {
    return this.#options.clock.monotonicMs() - this.#steadySinceMs;
  }

  /** Lets other hosts know where this process takes rpcs. */
  announce(url: string): Promise<void> {
    this.#url = url;
    return this.renew();
  }

  start(): void {
    const { clock, log } = this.#options;
    this.#beats = repeat({ clock, log, everyMs: HOST_BEAT_MS, step: "renew the host's lease" }, () => this.renew());
  }

  /** Measures this host and renews its lease. Never throws. */
  async renew(): Promise<void> {
    const { hosts, hostId, measure, lost, clock, log } = this.#options;
    try {
      // A driver that hangs must not cost the lease.
      this.#drivers = await withLimit(clock, HOST_BEAT_MS, this.#closing.signal, measure);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      log.warn({ err: error }, 'could not measure the room for phones on this host');
    }
    try {
      const lease = { drivers: this.#drivers, seenAt: new Date(clock.now()), leaseUntil: leaseEnd(clock) };
      const ours = await hosts.renew(
        { _id: hostId, epoch: this.epoch },
        { ...lease, ...(this.#url !== undefined && { url: this.#url }) },
      );
      if (!ours && !this.#closing.signal.aborted) {
        lost(new Error(`Another process has taken over the host "${hostId}", or the operator has forgotten it.`));
        return;
      }
      const nowMs = clock.monotonicMs();
      if (nowMs - this.#renewedMs > HOST_LEASE_MS) this.#steadySinceMs = nowMs;
      this.#renewedMs = nowMs;
    } catch (error) {
      // The epoch still fences this process off, should another one get the lease meanwhile.
      log.warn({ err: error }, "could not renew the host's lease; trying again");
    }
  }

  /** Ends the lease, so that other processes need not wait for its end. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('closing'));
    // A renewal under way must not be written after the end.
    await this.#beats?.close();
    const { hosts, hostId, clock, log } = this.#options;
    const over = new Date(clock.now());
    try {
      await hosts.renew({ _id: hostId, epoch: this.epoch }, { leaseUntil: over, seenAt: over });
    } catch (error) {
      log.warn({ err: error }, "could not end the host's lease; it lapses");
    }
  }
}

function leaseEnd(clock: Clock): Date {
  return new Date(clock.now() + HOST_LEASE_MS);
}

function belongsElsewhere({ _id, leaseUntil }: HostDocument, nowMs: number): string {
  const alive = leaseUntil.getTime() > nowMs;
  return alive
    ? `HOST_ID "${_id}" is in use by another process with another data folder. Choose another HOST_ID.`
    : `HOST_ID "${_id}" belongs to another data folder, which holds its phones. Use that folder or another HOST_ID; ` +
        `if the folder is lost for good, run: npm run admin -- host forget --id ${_id}`;
}
