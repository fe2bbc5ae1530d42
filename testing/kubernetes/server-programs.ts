import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const VERSION = 'v1.34.4';

/** Returns the folder that testing/kubernetes/build filled. Returns undefined when that has not been run. */
export function programsFolder(): string | undefined {
  const { KUBERNETES_CACHE, XDG_CACHE_HOME } = process.env;
  const cache = KUBERNETES_CACHE ?? join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'cloudphone');
  const folder = join(cache, `kubernetes-${VERSION}`);
  return existsSync(join(folder, 'complete')) ? folder : undefined;
}

/** A program of the cluster. The kernel kills the program when this process ends, even if this process is killed. */
export class ServerProgram {
  readonly name: string;
  readonly #logPath: string;
  readonly #begin: (log: number) => ChildProcess;
  #child: ChildProcess;

  constructor(folder: string, command: string, words: readonly string[]) {
    this.name = command.split('/').at(-1) ?? '';
    this.#logPath = join(folder, `${this.name}.log`);
    this.#begin = (log) =>
      spawn('setpriv', ['--pdeathsig', 'KILL', '--', command, ...words], {
        stdio: ['ignore', log, log],
        cwd: folder,
      });
    this.#child = this.#start();
  }

  /** Starts the program once more, after `stop`. */
  startAgain(): void {
    this.#child = this.#start();
  }

  #start(): ChildProcess {
    const log = openSync(this.#logPath, 'a');
    const child = this.#begin(log).on('error', () => undefined);
    closeSync(log);
    return child;
  }

  get isRunning(): boolean {
    return this.#child.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Returns the end of the program's log, for the error text of a failed start. */
  lastLines(): string {
    return readFileSync(this.#logPath, 'utf8').trim().split('\n').slice(-3).join(' | ').slice(-1_000);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async stop(): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.#child, 'exit');
    // The program has nothing to save, and SIGKILL is the only signal that ends a program stopped by SIGSTOP.
    this.#child.kill('SIGKILL');
    await ended;
  }
}
