import { ApiFault } from './client.ts';

/** Where the next fault begins in a text that names several: behind "; ", with the path of a field, as in "timezone: …" or "name is missing". */
const NEXT_FAULT = /; (?=[a-z_]+[\w.[\]]*(?:: | is | must | has ))/;

/** An error as a form shows it: what is wrong with each of its fields, and the rest, which is of no field here. */
export interface FieldErrors<Field extends string> {
  at: Partial<Record<Field, string>>;
  rest: Error | null;
}

/**
 * Divides an error of the API among the fields of a form, by their names in the API. A text of the API begins with the path of the field that
 * it is about: "name: …", "devices[2]: …", "proxy has no host".
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

/** Beside its field, a fault needs no name of it. */
function shortened(fault: string, field: string): string {
  return fault.startsWith(`${field}: `) ? fault.slice(field.length + 2) : fault;
}
