import { ApiFault } from './client.ts';
import { plainWords } from './plain-words.ts';

/**
 * The place at which the next fault begins in a text that names several. It begins after "; " with the path of a field, as in "timezone:
 * …" or "name is missing".
 */
const NEXT_FAULT = /; (?=[a-z_]+[\w.[\]]*(?:: | is | must | has ))/;

/** An error as a form shows it. `at` has the faults of its fields, and `rest` has what belongs to none of them. */
export interface FieldErrors<Field extends string> {
  at: Partial<Record<Field, string>>;
  rest: Error | null;
}

/**
 * Divides an error of the API among the fields of a form, by their names in the API. A text of the API begins with the path of its field:
 * "name: …", "devices[2]: …", "proxy has no host".
 */
export function fieldErrors<Field extends string>(error: Error | null, fields: readonly Field[]): FieldErrors<Field> {
  if (!(error instanceof ApiFault) || error.status !== 400) return { at: {}, rest: error };
  const at: Partial<Record<Field, string>> = {};
  const rest: string[] = [];
  for (const fault of error.message.split(NEXT_FAULT)) {
    const field = fields.find((name) => fault.startsWith(name) && /^[ :.[]/.test(fault.slice(name.length)));
    if (field === undefined) rest.push(fault);
    else at[field] = [at[field], shortened(fault, field)].filter((text) => text !== undefined).join('; ');
  }
  const { status, kind, requestId } = error;
  return { at, rest: rest.length === 0 ? null : new ApiFault(status, kind, rest.join('; '), requestId) };
}

/**
 * Returns a fault without the name of its field, as it is shown beside the field. For example, `allow[0] is "x", which is not an address`
 * becomes `"x" is not an address`.
 */
function shortened(fault: string, field: string): string {
  const rest = fault.slice(field.length);
  const [, value, is] = /^(?:\[\d+\]|\.[\w-]+)? is ("[^"]*"), which (is .*)$/s.exec(rest) ?? [];
  if (value !== undefined && is !== undefined) return plainWords(`${value} ${is}`);
  const [, text] = /^(?:[\w.[\]-]*): (.*)$/s.exec(rest) ?? [];
  if (text !== undefined) return plainWords(text);
  // "proxy has no host" and "name is missing" are about the field itself.
  return plainWords(`It${rest.replace(/^[\w.[\]-]+/, '')}`);
}
