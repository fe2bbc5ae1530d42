import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { systemClock } from '../../kit/async/clock.js';
import { within } from '../../kit/async/within.js';

/** What the shell prints after each block, with a number; no command prints it. */
const END = '\u001e';

/** How long the commands of a block may take, ms. */
const BLOCK_MS = 120_000;

/** What a block of commands has printed. */
export interface Pasted {
  /** Both of its outputs. */
  printed: string;
  /** The commands that ended with another status than 0. */
  failed: string[];
}

/**
 * One shell into which text is pasted: it reads its commands from the same input as the programs that it runs, as a terminal has it. So a
 * program that takes what was pasted after it is found out.
 */
export class PastedShell {
  readonly #shell: ChildProcessWithoutNullStreams;
  #printed = '';
  #blocks = 0;
  #onPrinted: () => void = () => undefined;
  #onClosed: () => void = () => undefined;

  constructor(directory: string, environment: Record<string, string>) {
    this.#shell = spawn('bash', ['--noprofile', '--norc'], { cwd: directory, env: environment });
    for (const output of [this.#shell.stdout, this.#shell.stderr])
      output.setEncoding('utf8').on('data', (text: string) => {
        this.#printed += text;
        this.#onPrinted();
      });
    this.#shell.on('close', () => this.#onClosed());
    this.#shell.stdin.write(`trap 'echo "${END}failed $BASH_COMMAND"' ERR\nset -o pipefail\n`);
  }

  /** Pastes a block, and waits until the shell has come to its end. */
  async paste(text: string): Promise<Pasted> {
    const end = `${END}${++this.#blocks}\n`;
    this.#printed = '';
    const ended = new Promise<void>((resolve, reject) => {
      this.#onPrinted = () => {
        if (this.#printed.includes(end)) resolve();
      };
      this.#onClosed = () => reject(new Error(`the shell has ended:\n${this.#printed}`));
    });
    this.#shell.stdin.write(`${text}\necho "${END}${this.#blocks}"\n`);
    const onTimeout = (): Error => new Error(`the shell does not come to the end of the block:\n${this.#printed}`);
    await within({ clock: systemClock, timeoutMs: BLOCK_MS, onTimeout }, () => ended);
    const printed = this.#printed.slice(0, this.#printed.indexOf(end));
    const failed = [...printed.matchAll(new RegExp(`${END}failed (.*)`, 'g'))].map(([, command = '']) => command);
    return { printed, failed };
  }

  close(): void {
    this.#onClosed = () => undefined;
    this.#shell.kill('SIGKILL');
  }
}
