import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Ran {
  status: number;
  stdout: string;
  stderr: string;
}

/** The stock adb of this machine, with a server and keys of its own, so that the developer's own adb is left alone. */
export class StockAdb {
  readonly #port: number;
  readonly #home: string;
  readonly #environment: NodeJS.ProcessEnv;

  private constructor(port: number, home: string, environment: NodeJS.ProcessEnv) {
    this.#port = port;
    this.#home = home;
    this.#environment = { ...environment, HOME: home, ANDROID_ADB_SERVER_PORT: String(port) };
  }

  /** Starts the adb server. `environment` is that of this process. Throws when adb is missing or does not start. */
  static async start(environment: NodeJS.ProcessEnv): Promise<StockAdb> {
    const adb = new StockAdb(await freePort(), await mkdtemp(join(tmpdir(), 'check-phones-adb-')), environment);
    const { status, stderr } = await adb.run(['start-server'], 60_000);
    if (status === 0) return adb;
    await adb.stop();
    throw new Error(`adb is needed on the path: ${stderr.trim() || 'it could not be started'}`);
  }

  /** Runs a command of adb. A command that takes longer than `timeoutMs` is killed, and has the status -1. */
  run(words: readonly string[], timeoutMs: number): Promise<Ran> {
    const options = {
      env: this.#environment,
      maxBuffer: 16 * 1024 * 1024,
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    } as const;
    return new Promise((resolve) => {
      const child = execFile('adb', ['-P', String(this.#port), ...words], options, (error, stdout, stderr) => {
        const status = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ status, stdout, stderr: status === -1 ? `${stderr}${error?.message ?? ''}` : stderr });
      });
      child.stdin?.end();
    });
  }

  async stop(): Promise<void> {
    await this.run(['kill-server'], 10_000);
    await rm(this.#home, { recursive: true, force: true });
  }
}

/** A port that nobody listens on at this moment. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
