import { CommandFailure } from './command.js';

/** Options of a shell that scripts set with `set -e` or `sh -e`. Others of Android's shell are refused by name. */
export type ShellOption = 'errexit' | 'nounset' | 'xtrace' | 'pipefail';

const BY_LETTER: Readonly<Record<string, ShellOption>> = { e: 'errexit', u: 'nounset', x: 'xtrace' };
const NAMES: ReadonlySet<string> = new Set<ShellOption>([...Object.values(BY_LETTER), 'pipefail']);

/**
 * Applies leading words such as `-eu`, `+x` and `-o pipefail` to `options`, and returns the words after them; undefined when there
 * are none and no `--`. Throws CommandFailure for an unknown option.
 */
export function applyOptions(options: Set<ShellOption>, words: readonly string[]): string[] | undefined {
  const queue = [...words];
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word === '--') return queue;
    if (!/^[-+]./.test(word)) return [word, ...queue];
    for (const letter of word.slice(1)) {
      const name = letter === 'o' ? queue.shift() : BY_LETTER[letter];
      if (!isOption(name)) {
        const given = letter === 'o' ? (name ?? '') : `-${letter}`;
        throw new CommandFailure(`/system/bin/sh: set: ${given}: unknown option`, { bare: true });
      }
      if (word.startsWith('-')) options.add(name);
      else options.delete(name);
    }
  }
  return undefined;
}

/** The value of `$-`. */
export function optionLetters(options: ReadonlySet<ShellOption>): string {
  return Object.entries(BY_LETTER)
    .map(([letter, name]) => (options.has(name) ? letter : ''))
    .join('');
}

function isOption(name: string | undefined): name is ShellOption {
  return name !== undefined && NAMES.has(name);
}
