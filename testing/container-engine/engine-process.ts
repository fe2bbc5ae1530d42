import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { until } from '../until.js';

const START_MS = 60_000;
const STOP_MS = 30_000;

/** Most characters of the program's log that are kept for errors. */
const LOG_CHARS = 2_000;

/** The process that serves an engine's API on a Unix socket. */
export class EngineProcess {
  readonly #command: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #socketPath: string;
  #child: ChildProcessByStdio<null, null, Readable> | undefined;
  #log = '';
  /** Whether the API has ever responded: before that there is nothing to remove. */
  hasServed = false;

  constructor(command: readonly string[], env: NodeJS.ProcessEnv, socketPath: string) {
    this.#command = command;
    this.#env = env;
    this.#socketPath = socketPath;
  }

  get isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves when the API responds. Throws an error with the last line of the program's log when the program has ended. */
  async start(): Promise<void> {
    const [program = '', ...words] = this.#command;
    // The monitor of a container writes a file into its working directory when memory runs out.
    const cwd = dirname(this.#socketPath);
    const child = spawn(program, words, { cwd, env: this.#env, stdio: ['ignore', 'ignore', 'pipe'] });
    // Throws where there is no such program.
    await once(child, 'spawn');
    this.#child = child;
    this.#log = '';
    child.stderr.on('data', (chunk: Buffer) => (this.#log = (this.#log + chunk.toString()).slice(-LOG_CHARS)));
    await until(async () => !this.isRunning || (await responds(this.#socketPath)), START_MS);
    if (!this.isRunning) throw new Error(`${program} did not start: ${this.#log.trim().split('\n').at(-1) ?? ''}`);
    this.hasServed = true;
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  /** Ends the engine as a crash would. Containers may go on running. */
  async kill9(): Promise<void> {
    await this.#end('SIGKILL');
  }

  send(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) return;
    const ended = once(child, 'exit', { signal: AbortSignal.timeout(STOP_MS) });
    child.kill(signal);
    await ended;
  }
}

/** Whether the API responds to a ping. */
function responds(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const ping = request({ socketPath, path: '/_ping', timeout: 5_000, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.on('timeout', () => ping.destroy());
    ping.on('error', () => resolve(false));
    ping.end();
  });
}
