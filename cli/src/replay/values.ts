import { MAX_VALUE_CHARS } from '../../../replay/format/limits.js';
import { misfitOf } from '../../../replay/format/misfit-of.js';
import { parseText } from '../../../replay/format/parse-text.js';
import { type Replay, ReplayFault } from '../../../replay/format/replay.js';
import type { ObjectShape } from '../../../replay/format/shape.js';
import { filled, type Values } from '../../../replay/format/variables.js';
import type { Invocation } from '../command/command.js';
import { UsageError } from '../output/usage-error.js';
import { asUsage, readText } from './open-replay.js';

/** The shape of a file of values: texts by the names of variables. */
const VALUES: ObjectShape = {
  type: 'object',
  additionalProperties: { type: 'string', maxLength: MAX_VALUE_CHARS },
};

/**
 * Returns the value of each variable of a replay: of `--var`, else of `--var-file`, else its default. Throws a UsageError that names the
 * variables without one, names that the replay does not have, and a step that its values make too long.
 */
export async function valuesOf({ options, terminal }: Invocation, file: string, replay: Replay): Promise<Values> {
  const { variables = {} } = replay;
  const given = new Map<string, string>();
  const varFile = options.text('var-file');
  if (varFile !== undefined)
    for (const [name, text] of asUsage(varFile, readValues, await readText(varFile, terminal))) given.set(name, text);
  for (const word of options.texts('var')) {
    const at = word.indexOf('=');
    // The text of a wrong word is not repeated, as it may be a secret.
    if (at < 1) throw new UsageError('--var must be NAME=TEXT.');
    given.set(word.slice(0, at), word.slice(at + 1));
  }
  const unknown = [...given.keys()].filter((name) => !Object.hasOwn(variables, name));
  if (unknown.length > 0) {
    const known = Object.keys(variables).join(', ');
    throw new UsageError(
      `${file} has no variable ${unknown.join(', ')}. Its variables: ${known === '' ? 'none' : known}.`,
    );
  }
  const missing = Object.keys(variables).filter((name) => !given.has(name) && variables[name]?.default === undefined);
  if (missing.length > 0)
    throw new UsageError(
      `${file} needs a value for ${missing.join(', ')}: --var ${missing[0] ?? ''}=TEXT, or a --var-file with it.`,
    );
  const values = new Map(
    Object.entries(variables).map(([name, { default: text = '', secret = false }]) => [
      name,
      { text: given.get(name) ?? text, secret },
    ]),
  );
  refuseMisfits(file, replay, values);
  return values;
}

/** Throws a UsageError for a step that is too long with its values. It is known before anything is done. */
function refuseMisfits(file: string, { steps }: Replay, values: Values): void {
  for (const [at, step] of steps.entries())
    try {
      filled(step, values);
    } catch (error) {
      if (!(error instanceof ReplayFault)) throw error;
      throw new UsageError(`${file}: steps[${at}].${error.message}`);
    }
}

function readValues(text: string): Map<string, string> {
  const { value, lineOf } = parseText(text);
  const misfit = misfitOf(value, VALUES);
  if (misfit === undefined) return new Map(Object.entries(value as Record<string, string>));
  // The fault of a value may quote it, so only its place is named.
  const what = misfit.path === '' ? 'The file must be a map of texts by their names' : `${misfit.path} must be a text`;
  throw new ReplayFault(`line ${lineOf(misfit.path)}: ${what}, each in quotes where it is a number.`);
}
