import { typingCommand, typingScript } from './typed-by-command.js';

/** What stands for the part that is left out. */
const LEFT_OUT = '…';

/** Longest command line that is kept, characters. */
const MAX_CHARS = 4_000;

/**
 * Returns a command line as timelines keep it. A command that types text or sets the clipboard, or may do so, is kept by its name alone.
 * The text may be a password, and may stand anywhere in the command. `abb:` sends the words of one command, with NULs between them.
 */
export function keptCommand(command: string): string {
  const words = command.includes('\0') ? command.split('\0') : undefined;
  const heading = words === undefined ? typingScript(command) : typingCommand(['cmd', ...words]);
  if (heading !== undefined) return heading === '' ? LEFT_OUT : `${heading} ${LEFT_OUT}`;
  const line = words === undefined ? command : words.join(' ');
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS)} ${LEFT_OUT}` : line;
}
