import { CommandParser } from './command-parser.js';
import { Scanner } from './scanner.js';
import { ShellSyntaxError, type Node } from './syntax-tree.js';

const MAX_SCRIPT_CHARS = 1024 * 1024;
const NO_ALIASES: ReadonlyMap<string, string> = new Map();

/**
 * Parses a script line by line. Each line is parsed when the lines before it have run, as they may define aliases. A command that spans
 * several lines, such as a loop, counts as one line. Throws ShellSyntaxError.
 */
export function* parseLines(text: string, aliases = NO_ALIASES): Generator<Node, void, undefined> {
  if (text.length > MAX_SCRIPT_CHARS) throw new ShellSyntaxError('script too long');
  const parser = new CommandParser(new Scanner(text, { parseInner: parseSubstitution, aliases }), 0);
  for (let line = parser.line(); line; line = parser.line()) yield line;
}

/** Checks a whole script. Throws ShellSyntaxError. */
export function checkScript(text: string, aliases?: ReadonlyMap<string, string>): void {
  const lines = parseLines(text, aliases);
  while (lines.next().done !== true);
}

function parseSubstitution(scanner: Scanner): Node {
  const parser = new CommandParser(scanner, 1);
  const body = parser.list([')']);
  parser.expectOperator(')');
  return body;
}
