import { type DescField, getOption } from '@bufbuild/protobuf';
import { or_label } from '../../proto/gen/cloudphone/api/v1/route_pb.js';

/** The one name in the object that the JSON has in place of a list of devices. */
export const LABEL = 'label';

/**
 * Returns the field that has the label of a list of devices, where the JSON has `{"label": "team=qa"}` in place of the list (the option
 * `or_label`). Undefined: the field is no such list. Throws for an option that names no text field, because such a contract must not start.
 */
export function labelFieldOf(field: DescField): (DescField & { fieldKind: 'scalar' }) | undefined {
  const name = getOption(field, or_label);
  if (name === '') return undefined;
  const found = field.parent.fields.find((other) => other.name === name);
  if (found?.fieldKind === 'scalar') return found;
  throw new Error(`${String(field)}: its option or_label names no text field of the message`);
}

/** Returns the list that a field has the label of, so that it has no name of its own in JSON. Undefined: it has none. */
export function listOfLabel({ name, parent }: DescField): DescField | undefined {
  return parent.fields.find((field) => getOption(field, or_label) === name);
}
