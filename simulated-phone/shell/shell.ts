import type { Machine } from '../machine/machine.js';
import type { Node } from './grammar/syntax-tree.js';
import type { Streams } from './redirect.js';
import type { ShellState } from './shell-state.js';

/** The parts of a shell that are used by its builtins and by programs that start further shells. */
export interface Shell {
  readonly machine: Machine;
  readonly state: ShellState;
  /** Aborts when this shell must end. */
  readonly signal: AbortSignal;
  /** The number of loops around the command that runs, within its function and subshell. */
  readonly loops: number;
  /** Runs a part of a script and returns its exit status. Errors of the script are printed, never thrown. */
  run(script: string, streams: Streams): Promise<number>;
  /** Runs a whole script, then its trap for EXIT. */
  runToEnd(script: string, streams: Streams): Promise<number>;
  /** Runs the trap for EXIT and closes the files that `exec` opened. Returns the exit status. Must be called once, when no more is run. */
  end(streams: Streams): Promise<number>;
  evaluate(node: Node, streams: Streams, signal?: AbortSignal): Promise<number>;
  /** Runs a text in this shell, for `eval`, `.` and traps. Throws the error or exit that ends the script. */
  evaluateText(script: string, streams: Streams, signal?: AbortSignal): Promise<number>;
  /** Makes another shell of the same phone. `machine`: the phone as another user has it; absent: as this shell has it. */
  start(state: ShellState, signal: AbortSignal, machine?: Machine): Shell;
}
