/** Options of a shell that scripts set with `set -e` or `sh -e`. Any other option is refused with an error that names it. */
export type ShellOption = 'allexport' | 'errexit' | 'noclobber' | 'noglob' | 'nounset' | 'pipefail' | 'xtrace';

export const OPTION_LETTERS: Readonly<Record<string, ShellOption>> = {
  a: 'allexport',
  C: 'noclobber',
  e: 'errexit',
  f: 'noglob',
  u: 'nounset',
  x: 'xtrace',
};

export const OPTION_NAMES: readonly ShellOption[] = [...Object.values(OPTION_LETTERS), 'pipefail'];

/** The value of `$-`. */
export function optionLetters(options: ReadonlySet<ShellOption>): string {
  return Object.entries(OPTION_LETTERS)
    .map(([letter, name]) => (options.has(name) ? letter : ''))
    .join('');
}
