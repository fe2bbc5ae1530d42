import type { ExpansionHost } from './expand-word.js';
import type { Node } from './grammar/syntax-tree.js';
import type { Streams } from './redirect.js';
import type { Shell } from './shell.js';

/** The parts of the shell that the code of a kind of command uses. */
export interface InnerShell extends Shell {
  loops: number;
  /** Status of the latest `$(...)` of the command that is being expanded. */
  substituted: number;
  /** Returns the means by which words of a command are expanded. */
  expansionHost(streams: Streams, signal: AbortSignal): ExpansionHost;
  /** Runs `body` in a subshell. Its changes and errors do not reach this shell, but a limit of the phone ends the whole script. */
  subshell(body: Node, streams: Streams, signal: AbortSignal): Promise<number>;
  /** Ends a shell whose client is gone, runs traps, and lets other work run. `while true; do true; done` must not block the process. */
  breathe(streams: Streams, signal: AbortSignal): Promise<void>;
}
