import { execFile } from 'node:child_process';

/** How much of the output of a program that failed is shown, characters: its end has the reason. */
const SHOWN = 2_000;

/** Outputs of npm, pip and container engines where a registry cannot be reached. */
const NO_NETWORK =
  /ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|NewConnectionError|ConnectTimeout|NameResolutionError|ProxyError|Network is unreachable|no such host|i\/o timeout|connection refused|Temporary failure in name resolution/i;

/** A program that ended with another status than 0, or is not there. */
export class ProgramFailed extends Error {
  override readonly name = 'ProgramFailed';

  constructor(
    command: string,
    readonly isMissing: boolean,
    /** The text of both streams. */
    readonly printed: string,
  ) {
    super(isMissing ? `The program ${command} is not installed.` : `${command} failed:\n${printed.slice(-SHOWN)}`);
  }

  /** Whether a registry could not be reached. */
  get hadNoNetwork(): boolean {
    return NO_NETWORK.test(this.printed);
  }
}

/** Runs a program to its end and returns its standard output. Throws ProgramFailed. */
export function runProgram(
  command: string,
  words: readonly string[],
  { cwd, input }: { cwd?: string; input?: string } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: 64 * 1024 * 1024, ...(cwd !== undefined && { cwd }) };
    const child = execFile(command, words, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else
        reject(new ProgramFailed([command, ...words.slice(0, 2)].join(' '), error.code === 'ENOENT', stdout + stderr));
    });
    // A program that ends without reading its input is judged by its status.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input ?? '');
  });
}
