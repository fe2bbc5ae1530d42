import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../kit/async/clock.js';
import { FolderInUseError, lockFolder } from '../../kit/files/folder-lock.js';
import { silentLog } from '../../kit/log/log.js';
import { PhoneFolder } from '../../simulated-phone/host/phone-folder.js';
import { processFolder } from '../../simulated-phone/host/process-folder.js';
import { linkToProcess } from '../../simulated-phone/processes/simulator-link.js';
import { SimulatorProcesses } from '../../simulated-phone/processes/simulator-processes.js';

const main = fileURLToPath(new URL('../../device-service/main.js', import.meta.url));

/** How long a start may take, ms; far above what it does take. */
const START_MS = 30_000;

/** How many processes the phones are spread over. */
export const PHONE_PROCESSES = 2;

/** The device service as a process of its own, as `npm run start:device` runs it. */
export class DeviceProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #lines = '';

  private constructor(environment: Record<string, string>) {
    this.#child = spawn(process.execPath, [main], {
      env: { ...process.env, DEVICE_GRPC_PORT: '0', LOG_LEVEL: 'info', SIMULATED_PROCESSES: String(PHONE_PROCESSES), ...environment }, // prettier-ignore
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

  /** Sends SIGKILL. Resolves when the process is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** Sends SIGTERM. Resolves when the process is gone. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#ended;
  }
}

/** The phones of a device service, which go on when it ends. */
export type Phones = ReturnType<typeof phonesIn>;

export function phonesIn(dataDirectory: string) {
  const directory = join(dataDirectory, 'simulator');
  const folder = new PhoneFolder(directory, join(directory, 'scratch'));
  const processes = new SimulatorProcesses({
    count: PHONE_PROCESSES,
    folder,
    linkTo: (index) => linkToProcess({ directory, index, clock: systemClock, environment: {} }),
    found: async () => Array.from({ length: PHONE_PROCESSES }, (_, index) => index),
    clock: systemClock,
    log: silentLog,
    onChange: () => undefined,
  });
  return {
    /** Whether its next boots fail, and whether it loses its power now. */
    trouble: async (phoneId: string, { failsToBoot, crash }: { failsToBoot: boolean; crash: boolean }) => {
      const faults = { crash, ...(failsToBoot && { bootFailure: 'apps' }) };
      await (await processes.of(phoneId)).call((simulator) => simulator.setFaults({ phoneId, faults }));
    },
    /** Ends their processes. */
    quit: async () => {
      await processes.open();
      await processes.close({ quit: true });
      for (let index = 0; index < PHONE_PROCESSES; index++) {
        const folder = processFolder(directory, index);
        while (existsSync(folder) && isLocked(folder)) await systemClock.sleep(10);
      }
    },
  };
}

function isLocked(directory: string): boolean {
  try {
    lockFolder(directory).close();
    return false;
  } catch (error) {
    if (error instanceof FolderInUseError) return true;
    throw error;
  }
}
