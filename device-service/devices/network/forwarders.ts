import { begunAhead } from '../../../kit/async/begun-ahead.js';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../../kit/log/log.js';
import { socketPathIn } from '../../../kit/files/socket-path.js';
import type { PhoneExit } from '../../../phone/driver.js';
import { type DeviceExit, shownExit } from '../../store/device-exit.js';
import type { Exits } from './exits.js';
import { Forwarder } from './forwarder.js';
import type { Upstream } from './upstream.js';
import type { WayOut } from './way-out.js';

/** Returns the folder of the forwarders' sockets in a data folder. */
export function exitsFolder(dataDirectory: string): string {
  return join(dataDirectory, 'exits');
}

interface Entry {
  exit: DeviceExit;
  /** The upstream of the open connections as JSON, by which a change of the file is noticed. */
  upstream: string;
  forwarder: Promise<Forwarder>;
}

/**
 * The forwarders of this host's phones. Each sends traffic by the exit that was set last. The exits are stored in the devices' documents:
 * at its start, also after a crash, the service calls `open` with each.
 */
export class Forwarders {
  readonly #directory: string;
  readonly #exits: Exits;
  readonly #way: WayOut;
  readonly #log: Log;
  readonly #entries = new Map<string, Entry>();

  /**
   * `directory` is the folder of the sockets. It is in the data folder, so that each path is the same after a restart, and running phones
   * can go on using it.
   */
  constructor({ directory, exits, way, log }: { directory: string; exits: Exits; way: WayOut; log: Log }) {
    this.#directory = directory;
    this.#exits = exits;
    this.#way = way;
    this.#log = log;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  /** Returns the settings of an exit for the driver: its public properties, and the address for traffic, but no secret. */
  phoneExit(phoneId: string, exit: DeviceExit): PhoneExit {
    return { ...shownExit(exit), forwarder: this.#path(phoneId) };
  }

  /** Makes the phone's forwarder listen, and send traffic by `exit` from now on. Connections through another upstream are cut. */
  async open(phoneId: string, exit: DeviceExit): Promise<void> {
    const [way, log] = [this.#way, this.#log];
    const entry = this.#entries.get(phoneId);
    const upstream = this.#upstreamOf(phoneId, exit);
    if (entry === undefined) {
      const made: Entry = {
        exit,
        upstream: JSON.stringify(upstream),
        forwarder: begunAhead(
          Forwarder.listen({
            path: this.#path(phoneId),
            upstream: () => this.#upstreamOf(phoneId, made.exit),
            way,
            log: log.child({ phone: phoneId }),
          }),
        ),
      };
      this.#entries.set(phoneId, made);
      await made.forwarder.catch((error: unknown) => {
        this.#entries.delete(phoneId);
        throw error;
      });
      return;
    }
    entry.exit = exit;
    await this.#cutIfChanged(entry, upstream);
  }

  /** Called when the operator's exits have changed. Ends the connections of exits that are different now. */
  async exitsChanged(): Promise<void> {
    // A forwarder that could not listen has no connections; the caller that opens it gets the failure.
    await Promise.allSettled(
      [...this.#entries].map(([phoneId, entry]) => this.#cutIfChanged(entry, this.#upstreamOf(phoneId, entry.exit))),
    );
  }

  /** Closes the forwarder of a phone that is gone. */
  async close(phoneId: string): Promise<void> {
    const entry = this.#entries.get(phoneId);
    this.#entries.delete(phoneId);
    await (await entry?.forwarder)?.close();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#entries.keys()].map((phoneId) => this.close(phoneId)));
  }

  async #cutIfChanged(entry: Entry, upstream: Upstream): Promise<void> {
    const now = JSON.stringify(upstream);
    if (now === entry.upstream) return;
    entry.upstream = now;
    (await entry.forwarder).cut();
  }

  #upstreamOf(phoneId: string, exit: DeviceExit): Upstream {
    return this.#exits.upstreamOf(phoneId, exit);
  }

  #path(phoneId: string): string {
    return socketPathIn(this.#directory, `${phoneId}.sock`);
  }
}
