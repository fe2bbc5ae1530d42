import { BrokenPipe } from '../../phone/adb/device/broken-pipe.js';
import { ArithmeticError } from './arithmetic.js';
import { CommandFailure } from './command.js';
import { complain } from './complain.js';
import { ExpansionFailure } from './expansion-failure.js';
import { ShellSyntaxError } from './grammar/syntax-tree.js';
import type { Streams } from './redirect.js';
import type { Shell } from './shell.js';
import { FunctionReturn, LoopExit, ShellError, ShellExit, ShellLimit } from './shell-exits.js';

/**
 * Runs a part of a script, and returns its status. An error that ends the part is printed, and gives the status. With `keepLimits`, errors
 * about limits of the phone are thrown again, as they end the whole script.
 */
export async function untilScriptEnds(
  { state, signal }: Pick<Shell, 'state' | 'signal'>,
  streams: Streams,
  run: () => Promise<number>,
  { keepLimits = false } = {},
): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ShellExit) {
      state.exited = true;
      return error.status;
    }
    if (error instanceof LoopExit) return state.lastStatus;
    if (error instanceof FunctionReturn) return error.status;
    if (error instanceof BrokenPipe || signal.aborted) return state.killedBy === undefined ? 141 : 128 + state.killedBy;
    state.failed = true;
    if (error instanceof ShellError)
      return error.text === undefined
        ? error.status
        : complain(streams, `/system/bin/sh: ${error.text}\n`, error.status);
    if (keepLimits && (error instanceof ShellLimit || error instanceof RangeError)) throw error;
    // The script is too deep for the stack, or makes a text that is too long. This ends only this script.
    if (error instanceof RangeError) return complain(streams, '/system/bin/sh: out of memory\n', 1);
    if (error instanceof CommandFailure) return complain(streams, `${error.message}\n`, error.status);
    const isOfScript = [ShellSyntaxError, ExpansionFailure, ArithmeticError, ShellLimit].some((kind) => error instanceof kind); // prettier-ignore
    if (isOfScript && error instanceof Error) return complain(streams, `/system/bin/sh: ${error.message}\n`, 1);
    throw error;
  }
}
