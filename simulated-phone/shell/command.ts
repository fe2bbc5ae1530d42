import type { Machine } from '../machine/machine.js';
import type { Reservation } from '../memory/memory-budget.js';
import { PhoneFileError } from '../files/file-error.js';
import { absolutePath } from '../files/phone-path.js';
import { CommandFailure } from './command-failure.js';
import type { ByteSink, ByteSource, Descriptor } from '../streams/pipe.js';
import type { Shell } from './shell.js';
import type { ShellState } from './shell-state.js';

/** A program of the phone. Returns its exit status. Throws CommandFailure to end with a text on standard error. */
export type Command = (call: CommandCall) => Promise<number>;

/** The arguments, streams and environment of a running command. */
export interface CommandCall {
  machine: Machine;
  /** The name by which it was called, without folder. */
  name: string;
  args: readonly string[];
  stdin: ByteSource;
  stdout: ByteSink;
  stderr: ByteSink;
  /** The descriptors from 3 on. */
  others?: ReadonlyMap<number, Descriptor>;
  /** Aborts when the client is gone, on Ctrl-C, and when the phone goes down. */
  signal: AbortSignal;
  pid: number;
  /** Memory of the phone for the data that the command keeps. It is released when the command ends. */
  memory: Reservation;
  cwd: string;
  /** Makes a shell that ends with the command. `machine`: the phone as another user has it. */
  startShell: (state: ShellState, machine?: Machine) => Shell;
  /** Passes signals to the command's process on to `receive`, which returns false for signals that end the process. */
  catchSignals: (receive: (signal: number) => boolean) => void;
  /** Process id of the shell that started it. */
  shellPid: number;
  environment: ReadonlyMap<string, string>;
  /** Runs another command with the same streams and returns its status; for `xargs`, `find -exec`, `timeout`. */
  run: (
    words: readonly string[],
    streams?: Partial<Pick<CommandCall, 'stdin' | 'stdout' | 'stderr'>>,
  ) => Promise<number>;
}

export { CommandFailure };

/** Writes a text and returns 0, the exit status of success. */
export async function print(stdout: ByteSink, text: string | Uint8Array): Promise<0> {
  await stdout.write(text);
  return 0;
}

/** Runs `use` and returns 0. When `use` throws a file error, prints it as `command: name: reason` and returns 1. */
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

/** Returns the absolute path of a name that the command got. */
export function pathOf(call: CommandCall, name: string): string {
  return absolutePath(name, call.cwd);
}
