import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../kit/log.js';
import { socketPathIn } from '../../kit/socket-path.js';
import type { PhoneExit } from '../../phone/driver.js';
import { type DeviceExit, shownExit } from '../store/device-exit.js';
import type { Exits } from './exits.js';
import { Forwarder } from './forwarder.js';
import type { Upstream } from './upstream.js';
import type { WayOut } from './way-out.js';

/** Where the forwarders' sockets of a data folder are. */
export function exitsFolder(dataDirectory: string): string {
  return join(dataDirectory, 'exits');
}

export interface ForwardersOptions {
  /** Where the sockets are: in the data folder, so that each path is the same after a restart, and running phones go on using it. */
  directory: string;
  exits: Exits;
  way: WayOut;
  log: Log;
}

interface Entry {
  exit: DeviceExit;
  /** Of the connections that are open, as JSON, to notice a change of the file. */
  upstream: string;
  forwarder: Promise<Forwarder>;
}

/**
 * The forwarders of this host's phones. Each sends traffic by the exit that it was given last; which that is after a crash, the devices'
 * documents say (`open` at the start of the service).
 */
export class Forwarders {
  readonly #options: ForwardersOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: ForwardersOptions) {
    this.#options = options;
    mkdirSync(options.directory, { recursive: true, mode: 0o700 });
  }

  /** The driver's part of an exit: its public properties, and the address for traffic. Nothing secret. */
  phoneExit(phoneId: string, exit: DeviceExit): PhoneExit {
    return { ...shownExit(exit), forwarder: this.#path(phoneId) };
  }

  /** Makes the phone's forwarder listen, and send traffic by `exit` from now on. Connections by another upstream are cut. */
  async open(phoneId: string, exit: DeviceExit): Promise<void> {
    const { way, log } = this.#options;
    const entry = this.#entries.get(phoneId);
    const upstream = this.#upstreamOf(phoneId, exit);
    if (entry === undefined) {
      const made: Entry = {
        exit,
        upstream: JSON.stringify(upstream),
        forwarder: Forwarder.listen({
          path: this.#path(phoneId),
          upstream: () => this.#upstreamOf(phoneId, made.exit),
          way,
          log: log.child({ phone: phoneId }),
        }),
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

  /** The operator's exits have changed: connections by those that are different now end. */
  async exitsChanged(): Promise<void> {
    for (const [phoneId, entry] of this.#entries)
      await this.#cutIfChanged(entry, this.#upstreamOf(phoneId, entry.exit));
  }

  /** The phone is gone. */
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
    return this.#options.exits.upstreamOf(phoneId, exit);
  }

  #path(phoneId: string): string {
    return socketPathIn(this.#options.directory, `${phoneId}.sock`);
  }
}
