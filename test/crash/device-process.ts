import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@connectrpc/connect';
import { systemClock } from '../../kit/clock.js';
import { isRunning, type ProcessOwner } from '../../kit/process-owner.js';
import { linkToProcess } from '../../phone/simulated/host/simulator-link.js';
import { SimulatorService } from '../../proto/gen/cloudphone/simulator/v1/simulator_service_pb.js';

const main = fileURLToPath(new URL('../../device-service/main.js', import.meta.url));

/** How long a start may take, ms; far above what it does take. */
const START_MS = 30_000;

/** The device service as a process of its own, as `npm run start:device` runs it. */
export class DeviceProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #lines = '';

  private constructor(environment: Record<string, string>) {
    this.#child = spawn(process.execPath, [main], {
      env: { ...process.env, DEVICE_GRPC_PORT: '0', LOG_LEVEL: 'info', ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.#lines += chunk.toString()));
    this.#ended = new Promise((resolve) => this.#child.once('exit', () => resolve()));
  }

  static start(environment: Record<string, string>): DeviceProcess {
    return new DeviceProcess(environment);
  }

  /** The port that it listens on; undefined when it was killed before it did. */
  async port(): Promise<number | undefined> {
    const deadlineMs = systemClock.monotonicMs() + START_MS;
    for (;;) {
      const line = this.#lines.split('\n').find((one) => one.includes('device service listens'));
      if (line !== undefined) return (JSON.parse(line) as { port: number }).port;
      if (this.#child.signalCode === 'SIGKILL') return undefined;
      if (this.#child.exitCode !== null || systemClock.monotonicMs() > deadlineMs) throw new Error(this.#lines);
      await systemClock.sleep(2);
    }
  }

  /** Lines of its log at these levels. */
  log(...levels: string[]): string[] {
    return this.#lines.split('\n').filter((line) => levels.some((level) => line.includes(`"level":"${level}"`)));
  }

  /** SIGKILL. Resolves when it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** SIGTERM. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#ended;
  }
}

/** The phones of a device service, which go on when it ends. */
export type Phones = ReturnType<typeof phonesIn>;

export function phonesIn(dataDirectory: string) {
  const directory = join(dataDirectory, 'simulator');
  const link = linkToProcess({ directory, clock: systemClock, environment: {} });
  const simulator = createClient(SimulatorService, link.transport);
  return {
    /** Whether its next boots fail, and whether it loses its power now. */
    trouble: async (phoneId: string, { failsToBoot, crash }: { failsToBoot: boolean; crash: boolean }) => {
      await simulator.setFaults({ phoneId, faults: { crash, ...(failsToBoot && { bootFailure: 'apps' }) } });
    },
    /** Ends their process. */
    quit: async () => {
      const owner = JSON.parse(readFileSync(join(directory, 'lock'), 'utf8')) as ProcessOwner;
      await simulator.quit({});
      link.close();
      while (isRunning(owner)) await systemClock.sleep(10);
    },
  };
}
