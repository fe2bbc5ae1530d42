import type { Machine } from '../machine.js';
import type { Reservation } from '../memory/memory-budget.js';
import { PhoneFileError } from '../files/file-error.js';
import { absolutePath } from '../files/phone-path.js';
import { type ByteSink, type ByteSource } from './pipe.js';
import type { Shell } from './shell.js';
import type { ShellState } from './shell-state.js';

/** A program of the phone. Returns its exit status. Throws CommandFailure to end with a text on standard error. */
export type Command = (call: CommandCall) => Promise<number>;

/** The arguments, streams and environment of a running command. */
export interface CommandCall {
  machine: Machine;
  /** As it was called, without folder. */
  name: string;
  args: readonly string[];
  stdin: ByteSource;
  stdout: ByteSink;
  stderr: ByteSink;
  /** Aborts when the client is gone, on Ctrl-C, and when the phone goes down. */
  signal: AbortSignal;
  pid: number;
  /** Memory of the phone for the data that the command keeps, released when it ends. */
  memory: Reservation;
  cwd: string;
  /** Makes a shell that ends with the command. */
  startShell: (state: ShellState) => Shell;
  environment: ReadonlyMap<string, string>;
  /** Runs another command with the same streams and returns its status; for `xargs`, `find -exec`, `timeout`. */
  run: (
    words: readonly string[],
    streams?: Partial<Pick<CommandCall, 'stdin' | 'stdout' | 'stderr'>>,
  ) => Promise<number>;
}

/** Prints `name: message` on standard error and ends with `status`. */
export class CommandFailure extends Error {
  override name = 'CommandFailure';
  readonly status: number;
  /** Printed as it is, without the command's name in front. */
  readonly bare: boolean;

  constructor(message: string, options: { status?: number; bare?: boolean } = {}) {
    super(message);
    this.status = options.status ?? 1;
    this.bare = options.bare ?? false;
  }
}

/** Writes a text and returns 0, the exit status of success. */
export async function print(stdout: ByteSink, text: string | Uint8Array): Promise<0> {
  await stdout.write(text);
  return 0;
}

/** Runs `use` and returns 0; prints a file error of it as `command: name: reason` and returns 1. */
export async function statusOf(call: CommandCall, name: string, use: () => Promise<unknown>): Promise<0 | 1> {
  try {
    await use();
    return 0;
  } catch (error) {
    if (!(error instanceof PhoneFileError)) throw error;
    await call.stderr.write(`${call.name}: ${name}: ${error.reason}\n`);
    return 1;
  }
}

/** The command's absolute path for a name given to it. */
export function pathOf(call: CommandCall, name: string): string {
  return absolutePath(name, call.cwd);
}
