import { CommandFailure } from './command.js';
import { OPTION_LETTERS, OPTION_NAMES, type ShellOption } from './shell-options.js';

const NAMES: ReadonlySet<string> = new Set<ShellOption>(OPTION_NAMES);

/**
 * Applies leading words such as `-eu`, `+x` and `-o pipefail` to `options`. Returns the words after them, or undefined when all words are
 * options and no `--` follows. Throws CommandFailure for an unknown option.
 */
export function applyOptions(options: Set<ShellOption>, words: readonly string[]): string[] | undefined {
  const queue = [...words];
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word === '--') return queue;
    if (!/^[-+]./.test(word)) return [word, ...queue];
    for (const letter of word.slice(1)) {
      const name = letter === 'o' ? queue.shift() : OPTION_LETTERS[letter];
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

function isOption(name: string | undefined): name is ShellOption {
  return name !== undefined && NAMES.has(name);
}
