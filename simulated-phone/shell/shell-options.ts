/** Options of a shell that scripts set with `set -e` or `sh -e`. Others of Android's shell are refused by name. */
export type ShellOption = 'errexit' | 'nounset' | 'xtrace' | 'pipefail';

export const OPTION_LETTERS: Readonly<Record<string, ShellOption>> = { e: 'errexit', u: 'nounset', x: 'xtrace' };

/** The value of `$-`. */
export function optionLetters(options: ReadonlySet<ShellOption>): string {
  return Object.entries(OPTION_LETTERS)
    .map(([letter, name]) => (options.has(name) ? letter : ''))
    .join('');
}
