import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../testing/free-port.js';
import { until } from '../../testing/until.js';

export interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
  bytes: Buffer;
}

/** The stock adb, with a server of its own on a free port. */
export class AdbClient {
  readonly serverPort: number;
  readonly #home: string;

  private constructor(serverPort: number, home: string) {
    this.serverPort = serverPort;
    this.#home = home;
  }

  static isThere(): boolean {
    return spawnSync('adb', ['version']).status === 0;
  }

  /** `serverPort` absent: a free one. */
  static async start(serverPort?: number): Promise<AdbClient> {
    const client = new AdbClient(serverPort ?? (await freePort()), mkdtempSync(join(tmpdir(), 'adb-home-')));
    await client.run('start-server');
    return client;
  }

  /** Runs one command with `input` on its standard input, or none. After `timeoutMs` it is killed, and its status is null. */
  run(...args: string[]): Promise<Ran> {
    return this.with({}, ...args);
  }

  with(options: { input?: string | Buffer; timeoutMs?: number }, ...args: string[]): Promise<Ran> {
    return new Promise((resolve) => {
      const child = execFile(
        'adb',
        ['-P', String(this.serverPort), ...args],
        {
          env: { ...process.env, HOME: this.#home, ANDROID_ADB_SERVER_PORT: String(this.serverPort) },
          encoding: 'buffer',
          maxBuffer: 256 * 1024 * 1024,
          timeout: options.timeoutMs ?? 90_000,
          killSignal: 'SIGKILL',
        },
        (error, stdout, stderr) => {
          const status = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
          resolve({ status, stdout: stdout.toString(), stderr: stderr.toString(), bytes: stdout });
        },
      );
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(options.input ?? '');
    });
  }

  /** Starts a command that runs until it is killed. */
  spawn(...args: string[]) {
    return spawn('adb', ['-P', String(this.serverPort), ...args], {
      env: { ...process.env, HOME: this.#home },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  /** Ends the connection that there is, and connects. The server of adb may know one for a while after the command that ends it. */
  async connectAnew(serial: string): Promise<void> {
    await until(async () => {
      await this.run('disconnect', serial);
      const { stdout } = await this.run('connect', serial);
      if (!/^(already )?connected to/.test(stdout)) throw new Error(`adb connect: ${stdout}`);
      return !stdout.startsWith('already');
    });
  }

  /** Connects anew, logs in, and returns the serial. */
  async login(relay: {
    host?: string | undefined;
    port?: number | undefined;
    code?: string | undefined;
  }): Promise<string> {
    const serial = `${relay.host}:${relay.port}`;
    await this.connectAnew(serial);
    const ran = await this.run('-s', serial, 'shell', 'service-login', relay.code ?? '');
    if (ran.stdout !== 'login ok\n') throw new Error(`login: ${ran.status} ${ran.stdout}${ran.stderr}`);
    return serial;
  }

  async close(): Promise<void> {
    await this.run('kill-server');
    rmSync(this.#home, { recursive: true, force: true });
  }
}
