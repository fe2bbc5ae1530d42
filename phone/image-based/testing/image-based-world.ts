import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../kit/async/clock.js';
import type { PhoneDriver, PhoneEndpoint, PhoneExit, PhoneSpec } from '../../driver.js';
import { PhoneLink } from '../../link/phone-link.js';

/** The parts of a model that are the same in all tests with stand-in phones. */
export const STAND_IN = {
  ...{ model: 'stand-in', name: 'Stand-in', android: ['14'] },
  screen: { width: 720, height: 1280, density: 320 },
  ...{ memoryMb: 512, cpus: 2, diskMb: 1024, bootLimitS: 60, adbPort: 5555 },
  ...{ args: ['ro.product.model=Stand-in'], privileged: true, capabilities: [] },
};

/** Runs a command on a phone. Returns what it prints, errors included. */
export async function shellOn(
  at: Pick<PhoneEndpoint, 'host' | 'port'> & Partial<Pick<PhoneEndpoint, 'identity'>>,
  command: string,
): Promise<string> {
  const connectSocket = (host: string, port: number) => connect({ host, port });
  const link = await PhoneLink.open({ ...at, clock: systemClock, connectSocket, timeoutMs: 20_000 });
  try {
    const { stdout, stderr } = await link.shell(command, { timeoutMs: 60_000, maxBytes: 65_536, doing: 'test' });
    return stdout.toString() + stderr.toString();
  } finally {
    link.close();
  }
}

/** Makes a folder, and opens something in it. Removes the folder when `open` returns the reason why that cannot be. */
export async function openInFolder<T extends object>(
  name: string,
  open: (folder: string) => Promise<T | string>,
): Promise<T | string> {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  const opened = await open(folder);
  if (typeof opened === 'string') await rm(folder, { recursive: true, force: true });
  return opened;
}

/** A driver under test, its folder, and the forwarder for its phones' exit. Each test makes and deletes its own phones. */
export abstract class ImageBasedWorld {
  readonly folder: string;
  driver!: PhoneDriver;
  /** First bytes of each connection that reached the forwarder of the phones. */
  readonly forwarded: string[] = [];
  readonly #forwarder: Server;
  #phones = 0;

  protected constructor(folder: string) {
    this.folder = folder;
    this.#forwarder = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (data) => {
        this.forwarded.push(data.toString('latin1'));
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
      });
    }).listen(join(folder, 'forwarder.sock'));
  }

  /** Closes the engine in which the phones run. It is called after the driver is closed. */
  protected abstract closeEngine(): Promise<void>;

  async close(): Promise<void> {
    await (this.driver as PhoneDriver | undefined)?.close();
    await this.closeEngine();
    this.#forwarder.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  exit(): PhoneExit {
    const forwarder = join(this.folder, 'forwarder.sock');
    return { type: 'direct', country: 'us', timezone: 'America/New_York', forwarder };
  }

  spec(name = 'phone', model = STAND_IN.model): PhoneSpec {
    return { phoneId: `ph_${process.pid}_${this.#phones++}`, name, model, android: '14', exit: this.exit() };
  }

  async create(): Promise<PhoneSpec> {
    const made = this.spec();
    await this.driver.create(made);
    return made;
  }

  shell(at: PhoneEndpoint, command: string): Promise<string> {
    return shellOn(at, command);
  }

  /** Requests a page by the proxy that the phone has as its way out. */
  page(at: PhoneEndpoint): Promise<string> {
    return this.shell(at, `curl -s -m 5 -x "$(settings get global http_proxy)" http://example.com/`);
  }

  /** Collects the id of the phone of each change from now on. */
  watch(): { changes: string[]; end: () => Promise<void> } {
    const watching = new AbortController();
    const changes: string[] = [];
    const watched = (async () => {
      for await (const change of this.driver.watch(watching.signal)) changes.push(change.phoneId);
    })();
    return { changes, end: () => (watching.abort(), watched) };
  }
}

/** Returns the name and text of the error that a call must end with. */
export function failureOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'no failure',
    (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error)),
  );
}
