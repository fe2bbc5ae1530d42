/** One word of a shell command, whatever it holds. NUL cannot be passed to a command and is left out. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll('\0', '').replaceAll("'", `'\\''`)}'`;
}
