import type { Clock } from '../../../kit/async/clock.js';
import type { Log } from '../../../kit/log/log.js';
import { LeaseTerm } from '../../../kit/db/lease-term.js';
import { type Loop, repeat } from '../../../kit/errors/repeat.js';
import { hostLimit } from '../phones/host-limit.js';
import { within } from '../../../kit/async/within.js';
import { HOST_BEAT_MS, HOST_LEASE_MS } from '../limits.js';
import type { Outages } from '../metering/outages.js';
import type { HostDocument, HostDriver, HostStore } from '../../store/hosts.js';

export interface HostLeaseOptions {
  hosts: HostStore;
  hostId: string;
  /** Id of the data folder, which this process has locked. */
  folderId: string;
  /** Returns the phones that this host has room for now. */
  measure: () => Promise<HostDriver[]>;
  /** Gets the times in which the lease could not be renewed. */
  outages: Outages;
  /** Returns whether the data folder has no room, so that phones cannot be stopped. Absent: it has room. */
  isFull?: () => Promise<boolean>;
  /** Called when another process has got the lease, and this one must end. */
  lost: (reason: Error) => void;
  clock: Clock;
  log: Log;
}

/**
 * Makes this process the one that drives a host's phones. The lease is a record in the database (kit/db/leases.ts); its epoch grows with
 * each process that gets it, and fences the writes of the one before. The process goes on after the lease's term is over, because no
 * other process reaches the phones.
 *
 * A host is bound to its data folder, where its phones are. A process with another folder would find none of them, so it is refused
 * unless the host was forgotten. A process with the same folder holds the folder's lock (kit/files/folder-lock.ts). The process before
 * it is dead, or that process's writes will be refused. So the new process gets the lease at once, and a restart after kill -9 is quick.
 */
export class HostLease {
  readonly #options: HostLeaseOptions;
  readonly epoch: number;
  /** When the host's last process was last alive; undefined when it had none. */
  readonly seenBefore: Date | undefined;
  #drivers: HostDriver[];
  #url: string | undefined;
  readonly #term: LeaseTerm;
  #beats: Loop | undefined;
  readonly #closing = new AbortController();

  private constructor(options: HostLeaseOptions, term: LeaseTerm, host: HostDocument, seenBefore: Date | undefined) {
    this.#options = options;
    this.#term = term;
    this.epoch = host.epoch;
    this.seenBefore = seenBefore;
    this.#drivers = host.drivers;
  }

  /** Gets the lease. Throws an error of one line when the host is bound to another data folder. */
  static async acquire(options: HostLeaseOptions): Promise<HostLease> {
    const { hosts, hostId, folderId, measure, outages, clock, log } = options;
    // A host that could not be measured gets no new devices until the first renewal. The jobs of its present devices go on.
    const drivers = await within(hostLimit(clock, HOST_BEAT_MS), measure).catch((error: unknown) => {
      log.warn({ err: error }, 'could not measure the room for phones on this host');
      return [];
    });
    const term = new LeaseTerm(clock, HOST_LEASE_MS);
    for (;;) {
      const before = await hosts.find(hostId);
      if (before !== null && before.folderId !== folderId && before.forgotten !== true)
        throw new Error(belongsElsewhere(before, clock.now()));
      outages.load(before?.outages ?? [], before?.seenAt);
      const isWell = !(await isFull(options));
      const host = await term.renew(async (leaseUntil) => {
        const known = outages.toWrite(isWell);
        const written = known !== undefined && { outages: known };
        const lease = { folderId, drivers, seenAt: new Date(clock.now()), leaseUntil, ...written };
        if (before !== null) return hosts.take(before, lease);
        const first = { _id: hostId, epoch: 1, ...lease };
        return (await hosts.insert(first)) ? first : undefined;
      });
      if (host === undefined) continue;
      outages.written(isWell);
      return new HostLease(options, term, host, before?.seenAt);
    }
  }

  /** Returns the phones that this host had room for when it was last measured. */
  get drivers(): readonly HostDriver[] {
    return this.#drivers;
  }

  /** Returns how long the lease has been renewed without a break, ms. The database has worked for that time. */
  get steadyMs(): number {
    return this.#term.steadyMs;
  }

  /** Publishes the URL at which this process takes rpcs from other hosts. */
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
    const { hosts, hostId, measure, outages, lost, clock, log } = this.#options;
    try {
      // A driver that hangs must not cost the lease.
      this.#drivers = await within(hostLimit(clock, HOST_BEAT_MS, this.#closing.signal), measure);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      log.warn({ err: error }, 'could not measure the room for phones on this host');
    }
    try {
      const url = this.#url !== undefined && { url: this.#url };
      const isWell = !(await isFull(this.#options));
      const known = outages.toWrite(isWell);
      const written = known !== undefined && { outages: known };
      const ours = await this.#term.renew((leaseUntil) =>
        hosts.renew(
          { _id: hostId, epoch: this.epoch },
          { drivers: this.#drivers, seenAt: new Date(clock.now()), leaseUntil, ...url, ...written },
        ),
      );
      if (ours) outages.written(isWell);
      else if (!this.#closing.signal.aborted)
        lost(new Error(`Another process has taken over the host "${hostId}", or the operator has forgotten it.`));
    } catch (error) {
      outages.begin();
      // If another process gets the lease meanwhile, the epoch still fences this one off.
      log.warn({ err: error }, "could not renew the host's lease; trying again");
    }
  }

  /** Ends the lease, so that other processes need not wait for its end. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('closing'));
    // A renewal under way must not be written after the end of the lease.
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

/** A folder that cannot be measured is no reason to take phones for lost: its fault shows in the checks of readiness. */
async function isFull({ isFull: measure, clock, log }: HostLeaseOptions): Promise<boolean> {
  if (measure === undefined) return false;
  try {
    return await within(hostLimit(clock, HOST_BEAT_MS), measure);
  } catch (error) {
    log.warn({ err: error }, 'could not measure the room in the data folder');
    return false;
  }
}

function belongsElsewhere({ _id, leaseUntil }: HostDocument, nowMs: number): string {
  const alive = leaseUntil.getTime() > nowMs;
  return alive
    ? `HOST_ID "${_id}" is in use by another process with another data folder. Choose another HOST_ID.`
    : `HOST_ID "${_id}" belongs to another data folder, which holds its phones. Use that folder or another HOST_ID; ` +
        `if the folder is lost for good, run: npm run admin -- host forget --id ${_id}`;
}
