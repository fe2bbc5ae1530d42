import { execFile, spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { freePort } from '../free-port.js';

/** Runs the machine's adb with an adb server of its own, so that tests do not disturb each other. */
export class AdbCommand {
  readonly #serverPort: number;
  readonly #serial: string;
  readonly #environment: NodeJS.ProcessEnv | undefined;

  /**
   * `environment` is the whole environment of adb, with the place of its keys, for example. Absent: this process's own. `spawn` always uses
   * this process's own.
   */
  constructor(options: { serverPort: number; serial: string; environment?: NodeJS.ProcessEnv }) {
    this.#serverPort = options.serverPort;
    this.#serial = options.serial;
    this.#environment = options.environment;
  }

  /** Whether there is an adb on this machine. */
  static isInstalled(): boolean {
    return spawnSync('adb', ['version']).status === 0;
  }

  /** Connects to a phone. Returns undefined when there is no adb on this machine. */
  static async start(phonePort: number): Promise<AdbCommand | undefined> {
    if (!AdbCommand.isInstalled()) return undefined;
    const adb = new AdbCommand({ serverPort: await freePort(), serial: `127.0.0.1:${phonePort}` });
    const started = await adb.host('start-server');
    const { stdout, stderr } = await adb.host('connect', adb.serial);
    if (!stdout.includes('connected to')) {
      await adb.stop();
      throw new Error(`adb connect: ${stdout}${stderr} (after start-server: ${started.stderr})`);
    }
    return adb;
  }

  get serial(): string {
    return this.#serial;
  }

  get serverPort(): number {
    return this.#serverPort;
  }

  /** A command to the phone. */
  run(...args: string[]): Promise<AdbResult> {
    return this.host('-s', this.#serial, ...args);
  }

  /** A command to the adb server. */
  host(...args: string[]): Promise<AdbResult> {
    return this.#run(args);
  }

  runWithInput(input: string | Buffer, ...args: string[]): Promise<AdbResult> {
    return this.#run(['-s', this.#serial, ...args], input);
  }

  /** Starts adb and leaves it running. The caller must end it. */
  spawn(...args: string[]): ChildProcessWithoutNullStreams {
    return spawn('adb', ['-P', String(this.#serverPort), '-s', this.#serial, ...args]);
  }

  async stop(): Promise<void> {
    await this.host('kill-server');
  }

  #run(args: readonly string[], input?: string | Buffer): Promise<AdbResult> {
    return new Promise((resolve, reject) => {
      const options = { encoding: 'buffer', maxBuffer: 256 * 1024 * 1024, timeout: 60_000, env: this.#environment } as const; // prettier-ignore
      const child = execFile('adb', ['-P', String(this.#serverPort), ...args], options, (error, stdout, stderr) => {
        if (error?.killed) reject(new Error(`adb ${args.join(' ')} hung: ${stdout.toString()} ${stderr.toString()}`));
        else resolve({ status: typeof error?.code === 'number' ? error.code : 0, bytes: stdout, stdout: stdout.toString(), stderr: stderr.toString() }); // prettier-ignore
      });
      child.stdin?.end(input);
    });
  }
}

export interface AdbResult {
  status: number;
  stdout: string;
  stderr: string;
  bytes: Buffer;
}
