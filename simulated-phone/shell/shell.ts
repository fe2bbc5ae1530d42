import type { Machine } from '../machine.js';
import type { Node } from './grammar/syntax-tree.js';
import type { Streams } from './redirect.js';
import type { ShellState } from './shell-state.js';

/** One shell, as its builtins and the programs that start further shells see it. */
export interface Shell {
  readonly machine: Machine;
  readonly state: ShellState;
  /** Aborts when this shell must end. */
  readonly signal: AbortSignal;
  /** Runs a script and returns its exit status. Errors of the script are printed, never thrown. */
  run(script: string, streams: Streams): Promise<number>;
  evaluate(node: Node, streams: Streams, signal?: AbortSignal): Promise<number>;
  /** Makes another shell of the same phone. */
  start(state: ShellState, signal: AbortSignal): Shell;
}
