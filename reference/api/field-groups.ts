import type { Api, Operation, Parameter, Response } from './api.js';
import { choiceOf, type Field, fieldOf, fieldsOf } from './fields.js';

/** The fields of one part of an operation. */
export interface FieldGroup {
  /** The beginning of the ids of its fields. */
  place: string;
  title: string;
  /** The text beside the title: the type of a body, or the headers of a response. */
  note: string;
  /** Markdown. */
  description: string;
  fields: readonly Field[];
  choice: readonly string[];
  /** Whether callers send these fields. Only then does the page show which are required. */
  isRequest: boolean;
}

const PLACES = [
  ['path', 'Path'],
  ['query', 'Query'],
  ['header', 'Headers'],
] as const;

/** Returns the parts of an operation's request. */
export function requestGroups({ id, parameters, body, isEvent }: Operation, { schemas }: Api): FieldGroup[] {
  const placed = PLACES.map(([place, title]) => {
    const fields = parameters.filter((parameter) => parameter.in === place).map((one) => parameterField(one, schemas));
    return { place: `${id}.${place}`, title, note: '', description: '', choice: [], fields, isRequest: !isEvent };
  });
  const groups: FieldGroup[] = placed.filter(({ fields }) => fields.length > 0);
  if (body === undefined) return groups;
  const { schema } = body.content;
  const isBytes = schema.$ref === undefined;
  const note = `${body.type}${body.required ? '' : ', optional'}`;
  const description = isBytes ? 'The content of the file, as it is.' : '';
  const fields = isBytes ? [] : fieldsOf(schema, schemas, namesOf(schema.$ref));
  const place = `${id}.body`;
  const title = isEvent ? 'Event' : 'Body';
  const choice = choiceOf(schema, schemas);
  return [...groups, { place, title, note, description, fields, choice, isRequest: !isEvent }];
}

/** Returns the successful responses of an operation, each with its fields. */
export function responseGroups({ id, successes }: Operation, { schemas }: Api): FieldGroup[] {
  return successes.map((response) => {
    const { status, description, content } = response;
    const json = content.find(([type]) => type === 'application/json')?.[1].schema;
    const fields = json === undefined ? [] : fieldsOf(json, schemas, namesOf(json.$ref));
    const others = content.map(([type]) => type).filter((type) => json === undefined || type !== 'application/json');
    const types =
      others.length === 0
        ? ''
        : ` ${json === undefined ? 'It is' : 'Also'} ${others.map((type) => `\`${type}\``).join(' or ')}.`;
    const title = `Response ${status}`;
    return {
      place: `${id}.${status}`,
      title,
      note: headersOf(response),
      description: description + types,
      fields,
      choice: [],
      isRequest: false,
    };
  });
}

function headersOf({ headers }: Response): string {
  return headers.length === 0 ? '' : `with ${headers.join(', ')}`;
}

function parameterField({ name, schema, required, description }: Parameter, schemas: Api['schemas']): Field {
  return fieldOf(name, { ...schema, description }, required, schemas);
}

function namesOf(reference: string | undefined): string[] {
  return reference === undefined ? [] : [reference.split('/').at(-1) ?? ''];
}
