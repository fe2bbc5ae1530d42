import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const VERSION = 'v1.34.4';

/** The folder that testing/kubernetes/build has filled; undefined: it has not. */
export function programsFolder(): string | undefined {
  const { KUBERNETES_CACHE, XDG_CACHE_HOME } = process.env;
  const cache = KUBERNETES_CACHE ?? join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'cloudphone');
  const folder = join(cache, `kubernetes-${VERSION}`);
  return existsSync(join(folder, 'complete')) ? folder : undefined;
}

/** A program of the cluster. The kernel ends it with this process, also when that is killed. */
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

  /** After a stop. */
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

  /** For the error of a start. */
  lastLines(): string {
    return readFileSync(this.#logPath, 'utf8').trim().split('\n').slice(-3).join(' | ').slice(-1_000);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async stop(): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.#child, 'exit');
    // Nothing of it is kept, and one that is stopped (SIGSTOP) takes no other signal.
    this.#child.kill('SIGKILL');
    await ended;
  }
}
