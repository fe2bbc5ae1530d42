import type { Invocation } from '../command/command.js';
import { completionScript, SHELLS } from '../command/completion-script.js';
import { UsageError } from '../output/usage-error.js';

/** Prints the completion script of a shell. */
export async function run({ words, commands, terminal }: Invocation): Promise<void> {
  const shell = SHELLS.find((one) => one === words[0]);
  if (shell === undefined) throw new UsageError(`completion: "${words[0] ?? ''}" must be one of ${SHELLS.join(', ')}.`);
  terminal.output.write(completionScript(shell, commands));
}
