import { CommandFailure } from './command.js';

/** The parsed words of a command line: `-la`, `-n 5`, `-n5`, `--long`, `--long=x`, and the rest. */
export interface Options {
  has(name: string): boolean;
  /** Returns the last value of an option. */
  value(name: string): string | undefined;
  values(name: string): readonly string[];
  rest: readonly string[];
}

/**
 * Parses options. `flags` are names without a value, `values` names with one; names of several letters are `--name`. Options end at `--`.
 * Throws CommandFailure for an unknown option.
 */
export function parseOptions(
  args: readonly string[],
  accepted: {
    flags?: readonly string[];
    values?: readonly string[];
    /** Whether options end at the first other word. */ strict?: boolean;
  },
): Options {
  const flags = new Set(accepted.flags);
  const valued = new Set(accepted.values);
  const found = new Map<string, string[]>();
  const rest: string[] = [];
  const add = (name: string, value: string): void => void found.set(name, [...(found.get(name) ?? []), value]);
  const queue = [...args];
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word === '--') {
      rest.push(...queue);
      break;
    }
    if (word.startsWith('--')) {
      const [name = '', ...value] = word.slice(2).split('=');
      if (valued.has(name)) add(name, value.length > 0 ? value.join('=') : needed(queue.shift(), `--${name}`));
      else if (flags.has(name)) add(name, '');
      else throw new CommandFailure(`Unknown option '${name}' (see "--help")`);
    } else if (word.startsWith('-') && word.length > 1) {
      for (let at = 1; at < word.length; at++) {
        const letter = word[at] ?? '';
        if (valued.has(letter)) {
          const attached = word.slice(at + 1);
          add(letter, attached !== '' ? attached : needed(queue.shift(), `-${letter}`));
          break;
        }
        if (!flags.has(letter)) throw new CommandFailure(`Unknown option '${letter}' (see "--help")`);
        add(letter, '');
      }
    } else {
      rest.push(word);
      if (accepted.strict) {
        rest.push(...queue);
        break;
      }
    }
  }
  return {
    has: (name) => found.has(name),
    value: (name) => found.get(name)?.at(-1),
    values: (name) => found.get(name) ?? [],
    rest,
  };
}

function needed(value: string | undefined, option: string): string {
  if (value === undefined) throw new CommandFailure(`Missing argument to ${option}`);
  return value;
}
