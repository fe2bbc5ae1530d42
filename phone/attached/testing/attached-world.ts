import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../kit/async/clock.js';
import { type Log, silentLog } from '../../../kit/log/log.js';
import type { PhoneChange, PhoneSpec, PhoneStatus } from '../../driver.js';
import { PhoneLink } from '../../link/phone-link.js';
import { startPhone, TEST_IDENTITY } from '../../../testing/phone/start-phone.js';
import type { SimulatedPhoneOptions } from '../../../simulated-phone/phone/phone-options.js';
import { AttachedDriver } from '../driver.js';
import { KEY_NAME, ownKey } from '../operator-key.js';
import { AdbServerWay } from '../way/adb-server-way.js';
import { TcpWay } from '../way/tcp-way.js';

/** Times that are short, so that tests wait only briefly. */
const TIMES = { checkMs: 100, bootingMs: 20, retryMs: 20, maxRetryMs: 100, cleanRetryMs: 200, goDownMs: 3_000 };
const LIMITS = { connectMs: 1_000, handshakeMs: 500, acceptMs: 300 };

type PhoneEntry = { address: unknown; model?: string; clean?: string; name?: string };

/** Simulated phones, a PHONES_FILE that lists them, and drivers that are opened one after the other on the same folder. */
export class AttachedWorld {
  readonly directory = mkdtempSync(join(tmpdir(), 'attached-'));
  readonly phonesFile = join(this.directory, 'phones.json');
  readonly changes: PhoneChange[] = [];
  readonly key = ownKey(join(this.directory, 'adbkey')).key;
  readonly #stops: (() => Promise<unknown>)[] = [];
  #driver: AttachedDriver | undefined;
  #log: Log = silentLog;

  get driver(): AttachedDriver {
    if (this.#driver === undefined) throw new Error('no driver is open');
    return this.#driver;
  }

  /** A booted phone; `serial` distinguishes it from others. */
  async phone(serial: string, options: Partial<SimulatedPhoneOptions> = {}) {
    const identity = { ...TEST_IDENTITY, serial };
    const directory = join(this.directory, 'phone', serial);
    const started = await startPhone({ directory, identity, rebootable: true, bootMs: 60, ...options });
    this.onEnd(() => started.phone.shutdown());
    return started;
  }

  list(...phones: PhoneEntry[]): void {
    this.write(JSON.stringify({ phones: phones.map((phone) => ({ model: 'bench', clean: 'none', ...phone })) }));
  }

  write(text: string): void {
    writeFileSync(this.phonesFile, text);
  }

  async open(log: Log = this.#log): Promise<AttachedDriver> {
    this.#log = log;
    const parts = { clock: systemClock, connectSocket: (host: string, port: number) => connect({ host, port }) };
    const driver = new AttachedDriver({
      phonesFile: this.phonesFile,
      directory: join(this.directory, 'records'),
      phoneHost: '127.0.0.1',
      clock: systemClock,
      log,
      times: TIMES,
      wayTo: ({ via }) =>
        via.kind === 'tcp'
          ? new TcpWay({ ...parts, ...via, key: () => this.key, keyName: KEY_NAME, limits: LIMITS })
          : new AdbServerWay({ ...parts, ...via, log }),
    });
    await driver.open();
    await driver.capacity();
    this.#driver = driver;
    const watching = new AbortController();
    void (async () => {
      for await (const change of driver.watch(watching.signal)) this.changes.push(change);
    })();
    this.onEnd(async () => {
      watching.abort();
      await driver.close();
    });
    return driver;
  }

  /** Returns the description of a phone that the driver is to create in `slot`. */
  spec(phoneId: string, slot: string, model = 'bench'): PhoneSpec {
    const exit = { type: 'direct', country: 'us', timezone: 'America/New_York' };
    return { phoneId, name: phoneId, model, android: '14', exit, slot };
  }

  /** Takes and starts a phone; returns where it is. */
  async run(phoneId: string, slot: string) {
    await this.driver.create(this.spec(phoneId, slot));
    return this.driver.start(phoneId);
  }

  async slots(model = 'bench'): Promise<readonly string[]> {
    return (await this.driver.capacity()).slots?.get(model) ?? [];
  }

  /** Runs a command on the phone at an endpoint, as a service does. Throws when no phone is there. */
  async shell(endpoint: { host: string; port: number; identity?: string }, command: string): Promise<string> {
    const link = await this.link(endpoint);
    try {
      const { stdout } = await link.shell(command, { timeoutMs: 5_000, maxBytes: 1024 ** 2, doing: 'run a test' });
      return stdout.toString();
    } finally {
      link.close();
    }
  }

  link({ host, port, identity }: { host: string; port: number; identity?: string }): Promise<PhoneLink> {
    return PhoneLink.open({
      host,
      port,
      clock: systemClock,
      connectSocket: (to, at) => connect({ host: to, port: at }),
      timeoutMs: 3_000,
      ...(identity !== undefined && { identity }),
    });
  }

  /** Waits until `holds` returns true for the phone's status. */
  async until(phoneId: string, holds: (status: PhoneStatus) => boolean): Promise<PhoneStatus> {
    for (let tries = 0; tries < 400; tries++) {
      const status = await this.driver.inspect(phoneId);
      if (holds(status)) return status;
      await systemClock.sleep(20);
    }
    throw new Error(`status stays ${JSON.stringify(await this.driver.inspect(phoneId))}`);
  }

  async untilTrue(holds: () => boolean | Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 400; tries++) {
      if (await holds()) return;
      await systemClock.sleep(20);
    }
    throw new Error('it never came true');
  }

  onEnd(stop: () => Promise<unknown>): void {
    this.#stops.push(stop);
  }

  async end(): Promise<void> {
    for (const stop of this.#stops.reverse()) await stop();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
