/** What stands for text that is left out. */
const LEFT_OUT = ' …';

/** Commands by which text is typed, up to the text: Android's own, and the broadcasts of keyboards for automation. */
const TYPING = /(\binput\b[^;&|\n]*?\btext\b|\bADB_INPUT_\w+)[^\n]*/g;

/** Longest command line that is kept, characters. */
const LONGEST = 4_000;

/**
 * A command line as timelines keep it: without the text that it types, which may be a password, and what follows on that line. It is cut
 * first: searching all of a long line for typing would take a client's own time squared.
 */
export function keptCommand(command: string): string {
  const cut = command.length > LONGEST ? `${command.slice(0, LONGEST)}${LEFT_OUT}` : command;
  return cut.replaceAll('\0', ' ').replace(TYPING, `$1${LEFT_OUT}`);
}
