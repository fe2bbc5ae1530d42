import { createClient, type Client, type Transport } from '@connectrpc/connect';
import type { Clock } from '../../../kit/async/clock.js';
import type { Log } from '../../../kit/log/log.js';
import { HostService } from '../../../proto/gen/cloudphone/device/v1/host_service_pb.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { HostStore } from '../../store/hosts.js';

/** The work of this process for the phones of its own host, see devices/converge/host-loop.ts. */
export interface OwnHost {
  begin(device: DeviceDocument): void;
  wake(phoneId: string): void;
  deviceOf(jobId: string): DeviceDocument | undefined;
}

export interface DispatchOptions {
  hosts: HostStore;
  hostId: string;
  own: OwnHost;
  /** Returns the way to another host's device service. */
  connect: (url: string) => Transport;
  /** Called when a job was accepted: the new state of its device is to be published. Absent: nobody is notified. */
  onAccepted?: () => void;
  clock: Clock;
  log: Log;
}

/** How long another host may take to be woken, ms. */
const WAKE_MS = 2_000;
/** How long another host's URL is remembered, ms. */
const URL_MS = 5_000;

/**
 * Brings an accepted job to the host that does it, and the end of the job to a waiting caller. This host is called directly, and another
 * host by an rpc. A failed rpc only causes a delay: each host compares all of its phones regularly, and a waiting request reads the
 * job again.
 */
export class Dispatch {
  readonly #options: DispatchOptions;
  /** Transports by host; `readMs`: when the host's URL was read. */
  readonly #ways = new Map<string, { url: string; way: Transport; readMs: number }>();

  constructor(options: DispatchOptions) {
    this.#options = options;
  }

  /** Begins the job that was accepted on the device, on whichever host its phone is. */
  begin(device: DeviceDocument): void {
    this.#options.onAccepted?.();
    if (device.hostId === this.#options.hostId) this.#options.own.begin(device);
    else void this.#wakeOther(device.hostId, device._id);
  }

  /** Lets the host of a phone inspect it now. */
  wake(device: Pick<DeviceDocument, '_id' | 'hostId'>): void {
    if (device.hostId === this.#options.hostId) this.#options.own.wake(device._id);
    else void this.#wakeOther(device.hostId, device._id);
  }

  /** Returns the device of a job that this process is doing; undefined for other jobs. */
  deviceOf(jobId: string): DeviceDocument | undefined {
    return this.#options.own.deviceOf(jobId);
  }

  /**
   * Waits until another host has ended the job, or until `ms` have passed. Returns false when that host cannot be reached, or is this
   * one.
   */
  async waitForJob(hostId: string, jobId: string, ms: number, signal: AbortSignal): Promise<boolean> {
    const { log } = this.#options;
    if (hostId === this.#options.hostId) return false;
    try {
      const client = await this.#clientOf(hostId);
      if (client === undefined) return false;
      const waitMs = Math.min(Math.ceil(ms), 60_000);
      await client.waitForJob({ jobId, waitMs }, { signal, timeoutMs: waitMs + WAKE_MS });
      return true;
    } catch (error) {
      if (!signal.aborted)
        log.debug({ host: hostId, job: jobId, err: error }, 'could not wait for a job of another host');
      return false;
    }
  }

  /**
   * Returns the transport to another host's device service, for a request that only that host can do; undefined when it cannot be reached
   * now.
   */
  async wayTo(hostId: string): Promise<Transport | undefined> {
    const { hosts, clock, connect } = this.#options;
    const known = this.#ways.get(hostId);
    if (known !== undefined && clock.monotonicMs() - known.readMs <= URL_MS) return known.way;
    const url = (await hosts.find(hostId))?.url;
    // A host without a URL is starting, and will have one soon.
    if (url === undefined) return undefined;
    const way = known?.url === url ? known.way : connect(url);
    this.#ways.set(hostId, { url, way, readMs: clock.monotonicMs() });
    return way;
  }

  /** Returns whether this process drives the host's phones. */
  isOwn(hostId: string): boolean {
    return hostId === this.#options.hostId;
  }

  async #wakeOther(hostId: string, phoneId: string, again = true): Promise<void> {
    try {
      const client = await this.#clientOf(hostId);
      await client?.wakeHost({ phoneIds: [phoneId] }, { timeoutMs: WAKE_MS });
    } catch (error) {
      // The host's next process may be at another URL.
      const known = this.#ways.get(hostId);
      if (known !== undefined) known.readMs = -Infinity;
      if (again) return this.#wakeOther(hostId, phoneId, false);
      this.#options.log.warn(
        { host: hostId, err: error },
        'could not wake another host; it checks its phones regularly',
      );
    }
  }

  async #clientOf(hostId: string): Promise<Client<typeof HostService> | undefined> {
    const way = await this.wayTo(hostId);
    return way === undefined ? undefined : createClient(HostService, way);
  }
}
