import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Clock } from '../../kit/async/clock.js';
import { isAlive } from '../devices/hosts/is-alive.js';
import type { HostStore } from '../store/hosts.js';
import { HOSTS_READ_MS } from './limits.js';

/** When each silent host was last heard of, by its id. */
export type SilentSince = ReadonlyMap<string, Date>;

/** Knows which hosts are silent, so that nobody leases a phone of one. It reads the hosts once a second, however many leases begin. */
export class HostSilence {
  readonly #parts: { hosts: Pick<HostStore, 'list'>; hostId: string; clock: Clock };
  #read: { found: Promise<SilentSince>; atMs: number } | undefined;

  constructor(parts: { hosts: Pick<HostStore, 'list'>; hostId: string; clock: Clock }) {
    this.#parts = parts;
  }

  now(): Promise<SilentSince> {
    const atMs = this.#parts.clock.monotonicMs();
    if (this.#read !== undefined && atMs - this.#read.atMs < HOSTS_READ_MS) return this.#read.found;
    const found = begunAhead(
      this.#find().catch((error: unknown) => {
        // The next call reads again.
        this.#read = undefined;
        throw error;
      }),
    );
    this.#read = { found, atMs };
    return found;
  }

  async #find(): Promise<SilentSince> {
    const { hosts, hostId, clock } = this.#parts;
    const silent = (await hosts.list()).filter((host) => !isAlive(host, hostId, clock.now()));
    return new Map(silent.map(({ _id, seenAt }) => [_id, seenAt]));
  }
}
