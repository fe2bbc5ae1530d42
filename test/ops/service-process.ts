import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../kit/async/clock.js';
import { Exposition } from './exposition.js';

const dist = new URL('../../', import.meta.url);

export type ServiceName =
  'gateway' | 'device-service' | 'screen-service' | 'relay-service' | 'webhook-service' | 'status-service';

/** How long a service may take to come or go, ms; far above what it does take. */
const PATIENCE_MS = 60_000;

/** A service as its own process, as `npm run start:…` runs it, with the responses of its ops port. */
export class ServiceProcess {
  readonly name: ServiceName;
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;
  #said = '';

  /** `from`: where the compiled files are, if not those under test. */
  constructor(name: ServiceName, environment: Record<string, string>, from: URL = dist) {
    this.name = name;
    const main = fileURLToPath(new URL(`${name}/main.js`, from));
    const env = { PATH: process.env['PATH'] ?? '', OPS_PORT: '0', LOG_LEVEL: 'info', ...environment };
    this.#child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.#said += chunk.toString()));
    this.#exited = once(this.#child, 'exit').then(([status]) => status as number | null);
  }

  /** Everything on its standard error so far. */
  get said(): string {
    return this.#said;
  }

  /** Waits until it listens, and returns where. */
  port(): Promise<number> {
    return this.#portOf(/^(?:gateway|\w+ service) listens$/);
  }

  async ask(path: string): Promise<{ status: number; body: string }> {
    const port = await this.#portOf(/^ops port listens$/);
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, body: await response.text() };
  }

  async ready(): Promise<{ status: number; state: string; checks: Record<string, string> }> {
    const { status, body } = await this.ask('/readyz');
    return { ...(JSON.parse(body) as { state: string; checks: Record<string, string> }), status };
  }

  /** Looks until readiness is as wanted, and returns how it is then. */
  async readyWhen(status: number): Promise<{ status: number; state: string; checks: Record<string, string> }> {
    const untilMs = performance.now() + PATIENCE_MS;
    for (;;) {
      const ready = await this.ready();
      if (ready.status === status) return ready;
      if (performance.now() > untilMs) throw new Error(`${this.name} stays ${JSON.stringify(ready)}`);
      await systemClock.sleep(20);
    }
  }

  async scrape(): Promise<Exposition> {
    const { status, body } = await this.ask('/metrics');
    if (status !== 200) throw new Error(`${this.name} responds with ${status} to a scrape: ${body}`);
    return new Exposition(body);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Resolves with the exit status of the process. */
  async exited(): Promise<number | null> {
    return this.#exited;
  }

  async stop(): Promise<number | null> {
    this.signal('SIGTERM');
    return this.#exited;
  }

  async #portOf(message: RegExp): Promise<number> {
    const untilMs = performance.now() + PATIENCE_MS;
    for (;;) {
      for (const line of this.#said.split('\n').filter((text) => text.startsWith('{') && text.endsWith('}'))) {
        const { msg, port } = JSON.parse(line) as { msg: string; port?: number };
        if (message.test(msg) && port !== undefined) return port;
      }
      if (this.#child.exitCode !== null || performance.now() > untilMs) {
        throw new Error(`${this.name} did not come (status ${String(this.#child.exitCode)}): ${this.#said}`);
      }
      await systemClock.sleep(5);
    }
  }
}
