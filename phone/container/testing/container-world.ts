import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { systemClock } from '../../../kit/clock.js';
import { silentLog } from '../../../kit/log.js';
import { type ContainerEngine as TestEngine, startEngine } from '../../../testing/container-engine.js';
import { phoneImage } from '../../../testing/container-engine/phone-image.js';
import type { PhoneDriver, PhoneEndpoint, PhoneExit, PhoneSpec } from '../../driver.js';
import { PhoneLink } from '../../link/phone-link.js';
import type { ContainerModel, MadeModel } from '../../made/made-model.js';
import { openContainerDriver } from '../open.js';

/** Beside other engines of this machine, and of other processes of these tests; no packet of a test leaves it. */
const POOL = `10.${216 + (process.pid % 8)}.${((process.pid >> 3) % 16) * 16}.0/20`;

/** A driver on a real engine of its own, whose phones are the stand-in image. Each test makes and deletes its phones. */
export class ContainerWorld {
  readonly folder: string;
  readonly engine: TestEngine;
  /** Of the phones that are made; takes effect with the next `reopen`. */
  model: ContainerModel;
  driver!: PhoneDriver;
  /** First bytes of each connection that reached the forwarder of the phones. */
  readonly forwarded: string[] = [];
  readonly #forwarder: Server;
  #phones = 0;

  private constructor(folder: string, engine: TestEngine, image: string, model: Partial<ContainerModel>) {
    this.folder = folder;
    this.engine = engine;
    this.model = {
      ...{ model: 'stand-in', name: 'Stand-in', android: ['14'], driver: 'container', image },
      screen: { width: 720, height: 1280, density: 320 },
      ...{ memoryMb: 512, cpus: 2, diskMb: 1024, bootLimitS: 60, pids: 500, adbPort: 5555 },
      ...{ args: ['ro.product.model=Stand-in'], privileged: true, capabilities: [], binder: false },
      ...model,
    };
    this.#forwarder = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (data) => {
        this.forwarded.push(data.toString('latin1'));
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
      });
    }).listen(join(folder, 'forwarder.sock'));
  }

  /** `model`: what is to differ. Returns the reason where no engine can run containers here. */
  static async start(model: Partial<ContainerModel> = {}): Promise<ContainerWorld | string> {
    const folder = await mkdtemp(join(tmpdir(), 'containers-'));
    const engine = await startEngine(folder);
    if (typeof engine === 'string') {
      await rm(folder, { recursive: true, force: true });
      return engine;
    }
    const world = new ContainerWorld(folder, engine, await engine.load(await phoneImage()), model);
    world.driver = await world.open();
    return world;
  }

  async close(): Promise<void> {
    await this.driver.close();
    await this.engine.close();
    this.#forwarder.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  open(directory = join(this.folder, 'data'), owner = 'test'): Promise<PhoneDriver> {
    const models: MadeModel[] = [
      this.model,
      {
        ...{ ...this.model, model: 'no-image', image: 'localhost:1/none:latest' },
        // After the other one in lists.
        memoryMb: this.model.memoryMb + 1,
      },
    ];
    return openContainerDriver({
      ...{ socketPath: this.engine.socketPath, pool: POOL, owner, directory, boots: pLimit(2) },
      models: { value: models, close: () => undefined },
      connectSocket: (host, port) => connect({ host, port }),
      ...{ clock: systemClock, log: silentLog },
    });
  }

  /** As after a crash of the service: the driver holds no state but its listeners. */
  async reopen(): Promise<void> {
    await this.driver.close();
    this.driver = await this.open();
  }

  exit(): PhoneExit {
    const forwarder = join(this.folder, 'forwarder.sock');
    return { type: 'direct', country: 'us', timezone: 'America/New_York', forwarder };
  }

  spec(name = 'phone', model = 'stand-in'): PhoneSpec {
    return { phoneId: `ph_${process.pid}_${this.#phones++}`, name, model, android: '14', exit: this.exit() };
  }

  async create(): Promise<PhoneSpec> {
    const made = this.spec();
    await this.driver.create(made);
    return made;
  }

  async shell(at: PhoneEndpoint, command: string): Promise<string> {
    const connectSocket = (host: string, port: number) => connect({ host, port });
    const link = await PhoneLink.open({ ...at, clock: systemClock, connectSocket, timeoutMs: 20_000 });
    try {
      const { stdout, stderr } = await link.shell(command, { timeoutMs: 60_000, maxBytes: 65_536, doing: 'test' });
      return stdout.toString() + stderr.toString();
    } finally {
      link.close();
    }
  }

  /** Requests a page by the proxy that the phone has as its way out. */
  page(at: PhoneEndpoint): Promise<string> {
    return this.shell(at, `curl -s -m 5 -x "$(settings get global http_proxy)" http://example.com/`);
  }

  /** Of the phone's private network: the host's address in it. */
  async gateway(at: PhoneEndpoint): Promise<string> {
    return (await this.shell(at, 'settings get global http_proxy')).split(':')[0] ?? '';
  }

  /** Runs a command as root of the phone's container, which a customer of a privileged one may become. Returns the failure's text. */
  inside(phoneId: string, command: string): Promise<string> {
    return this.engine.cli('exec', containerOf(phoneId), 'busybox', 'sh', '-c', command).catch(String);
  }

  dataOf(phoneId: string): string {
    return join(this.folder, 'data', 'phones', phoneId, 'data');
  }

  /** Collects the phones of changes from now on. */
  watch(): { changes: string[]; end: () => Promise<void> } {
    const watching = new AbortController();
    const changes: string[] = [];
    const watched = (async () => {
      for await (const change of this.driver.watch(watching.signal)) changes.push(change.phoneId);
    })();
    return { changes, end: () => (watching.abort(), watched) };
  }
}

export function containerOf(phoneId: string): string {
  return `cloudphone-${phoneId}`;
}

/** Returns the name and text of the error that a call must end with. */
export function failureOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'no failure',
    (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error)),
  );
}
