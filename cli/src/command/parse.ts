import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { Command } from './command.js';
import { GLOBAL_OPTIONS } from './global-options.js';
import { Options } from './options.js';
import { UsageError } from '../output/usage-error.js';

export interface Parsed {
  words: readonly string[];
  options: Options;
  foreign: readonly string[];
}

type ParseOptions = NonNullable<ParseArgsConfig['options']>;

/** Reads the words after a command's name. Throws a UsageError that names the fault. */
export function parseWords(command: Command, args: readonly string[]): Parsed {
  const options = parseOptionsOf(command);
  const { own, foreign } = divided(command, args, options);
  try {
    const { values, positionals } = parseArgs({ args: own, options, allowPositionals: true });
    // Help is shown whatever else is missing.
    if (values['help'] !== true) checkWords(command, positionals, foreign);
    return { words: positionals, options: new Options(values), foreign };
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof Error)) throw error;
    // Later sentences of Node's text explain its `--`, which is for programmers of other commands.
    const [fault = ''] = error.message.split(/\. To /);
    throw new UsageError(`${command.name}: ${fault.replace(/\.?$/, '.')}`);
  }
}

function parseOptionsOf({ options }: Command): ParseOptions {
  return Object.fromEntries(
    Object.entries({ ...options, ...GLOBAL_OPTIONS }).map(([name, { value, short, isMany }]) => [
      name,
      {
        type: value === undefined ? 'boolean' : 'string',
        ...(short !== undefined && { short }),
        ...(isMany && { multiple: true }),
      } as const,
    ]),
  );
}

/** Divides the words into those of the command and those of another program. */
function divided(
  { foreign }: Command,
  args: readonly string[],
  options: ParseOptions,
): { own: string[]; foreign: string[] } {
  if (foreign === undefined) return { own: [...args], foreign: [] };
  const dashes = args.indexOf('--');
  if (foreign === 'after-dashes')
    return dashes === -1
      ? { own: [...args], foreign: [] }
      : { own: args.slice(0, dashes), foreign: args.slice(dashes + 1) };
  const { tokens } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true });
  const first = tokens.find(({ kind }) => kind === 'positional');
  if (first === undefined) return { own: [...args], foreign: [] };
  const rest = args.slice(first.index + 1);
  return { own: args.slice(0, first.index + 1), foreign: rest[0] === '--' ? rest.slice(1) : rest };
}

function checkWords(command: Command, words: readonly string[], foreign: readonly string[]): void {
  const { name, arguments: expected } = command;
  const missing = expected[words.length];
  if (missing !== undefined && missing.isOptional !== true)
    throw new UsageError(`${name}: ${missing.name} is missing.`);
  const takesMore = expected.at(-1)?.isMany === true;
  const tooMany = words[expected.length];
  if (tooMany !== undefined && !takesMore)
    throw new UsageError(
      `${name}: "${tooMany}" is one word too many.${foreign.length === 0 ? ' Put texts with blanks into quotes.' : ''}`,
    );
}
