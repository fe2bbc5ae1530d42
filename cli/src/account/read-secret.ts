import { UsageError } from '../output/usage-error.js';
import { Interrupted } from '../output/failure.js';
import { inputPieces, readInput } from '../output/read-input.js';
import type { Terminal } from '../output/terminal.js';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const SIGINT_STATUS = 130;

/** Far above the length of a key. */
const MAX_SECRET_CHARS = 4_096;

/** Asks a person for a secret, without showing it. Throws where standard input is no terminal, and when the signal aborts. */
export async function askForSecret(
  { input, draw, note }: Terminal,
  question: string,
  signal: AbortSignal,
): Promise<string> {
  if (!input.isTTY)
    throw new UsageError('Standard input is no terminal. Pass the key by --key-stdin, or set CLOUDPHONE_KEY.');
  // Before the question, so that a fast answer is not shown either.
  input.setRawMode(true);
  // Before the signal ends the input, whose mode cannot be set from then on.
  const showAgain = (): void => void input.setRawMode(false);
  signal.addEventListener('abort', showAgain, { once: true });
  draw(question);
  try {
    let typed = '';
    for await (const piece of inputPieces(input, signal)) {
      for (const character of piece) {
        if (character === '\r' || character === '\n') return typed.trim();
        if (character === CTRL_C || (character === CTRL_D && typed === '')) throw new Interrupted(SIGINT_STATUS);
        if (character === '\u007f' || character === '\b') typed = typed.slice(0, -1);
        else if (character >= ' ' && typed.length < MAX_SECRET_CHARS) typed += character;
      }
    }
    return typed.trim();
  } finally {
    signal.removeEventListener('abort', showAgain);
    input.setRawMode(false);
    input.pause();
    note('');
  }
}

/** Returns the whole standard input, without blanks around it. */
export async function readSecret({ input }: Terminal, signal: AbortSignal): Promise<string> {
  return (await readInput(input, signal)).trim();
}
