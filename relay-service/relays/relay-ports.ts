import { ApiError } from '../../kit/errors/api-error.js';
import type { Log } from '../../kit/log/log.js';
import type { RelayLimits } from '../limits.js';
import type { RelayDocument, RelayStore } from '../store/relays.js';
import { RelayPort } from './relay-port.js';

/** How long a caller should wait before trying again when no port is free, seconds. */
const NO_PORT_RETRY_S = 60;

/** The share of the ports of a host that the relays of one account may have. */
const MAX_SHARE = 0.9;

interface RelayPortsParts {
  store: RelayStore;
  log: Log;
  limits: RelayLimits;
  listenHost: string;
  advertisedHost: string;
  /** Absent: any free port. */
  ports: { first: number; last: number } | undefined;
}

/** The TCP ports that this instance may listen on for relays. */
export class RelayPorts {
  readonly #parts: RelayPortsParts;

  constructor(parts: RelayPortsParts) {
    this.#parts = parts;
  }

  /**
   * Listens on the port that a relay had before, if that port is at this host, else on a free one. `takenPorts`: ports that an earlier try
   * found to be another relay's in the database. Throws unavailable when no port is free.
   */
  async open(
    had: Pick<RelayDocument, 'host' | 'port'> | undefined,
    takenPorts: ReadonlySet<number>,
  ): Promise<RelayPort> {
    const { advertisedHost, ports, store } = this.#parts;
    if (had?.host === advertisedHost && this.#isOurs(had.port) && !takenPorts.has(had.port)) {
      const opened = await this.#tryOpen(had.port);
      if (opened) return opened;
    }
    if (ports === undefined) {
      const opened = await this.#tryOpen(0);
      if (opened) return opened;
    } else {
      const used = await store.portsOf(advertisedHost);
      for (let port = ports.first; port <= ports.last; port++) {
        if (used.has(port) || takenPorts.has(port)) continue;
        const opened = await this.#tryOpen(port);
        if (opened) return opened;
      }
    }
    const range = ports === undefined ? '' : ` (${ports.first}-${ports.last})`;
    throw new ApiError(
      'unavailable',
      `Every ADB relay port${range} is taken. Turn off the relay of another device, or ask the operator for a wider RELAY_PORTS.`,
      { retryAfterS: NO_PORT_RETRY_S },
    );
  }

  /**
   * Throws rate_limited where the account has as many ports of this host as one account may have. Then the relays of one account cannot take
   * all ports from the others for a week. The share is large, as most services have one account. Without a range, ports are not scarce.
   */
  async assertShare(accountId: string): Promise<void> {
    const { advertisedHost, ports, store } = this.#parts;
    if (ports === undefined) return;
    const maxPorts = Math.max(1, Math.floor((ports.last - ports.first + 1) * MAX_SHARE));
    if ((await store.countAt(accountId, advertisedHost)) < maxPorts) return;
    throw new ApiError(
      'rate_limited',
      `An account has at most ${maxPorts} ADB relays with a port here. Turn off the relay of another device, or enable this one with "tunnel": true and without "allow".`,
      { retryAfterS: NO_PORT_RETRY_S },
    );
  }

  #isOurs(port: number): boolean {
    const { ports } = this.#parts;
    return ports === undefined || (port >= ports.first && port <= ports.last);
  }

  #tryOpen(port: number): Promise<RelayPort | undefined> {
    const { listenHost: host, limits, log } = this.#parts;
    return RelayPort.open({ host, port, bufferBytes: limits.bufferBytes, log });
  }
}
