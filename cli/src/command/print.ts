import type { Invocation } from './command.js';

/** Prints the API's object with --json, else the text. An empty text prints nothing. */
export function print({ options, terminal }: Invocation, body: unknown, text: string): void {
  if (options.flag('json')) terminal.line(JSON.stringify(body, undefined, 2));
  else if (text !== '') terminal.line(text);
}
