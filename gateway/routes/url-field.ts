import { type DescMessage, type DescMethod, type Message, ScalarType } from '@bufbuild/protobuf';
import { fieldsOf } from '../../kit/json/encode.js';

/** Puts `origin` in front of a path in a response. */
export type CompleteUrl = (response: Message, origin: string) => void;

/**
 * Returns the function that completes the field that the trait `url_field` names, such as `share.url`. Throws when that field is not a text
 * of the response.
 */
export function urlCompleter(rpc: DescMethod, path: string): CompleteUrl {
  if (path === '') return () => undefined;
  const names = path.split('.');
  const last = names.pop() ?? '';
  const fault = (): Error => new Error(`${rpc.toString()}: url_field ${path} is not a text of the response`);
  const fieldNamed = (message: DescMessage, name: string) => {
    const field = message.fields.find((candidate) => candidate.name === name);
    if (field === undefined) throw fault();
    return field;
  };
  let holder: DescMessage = rpc.output;
  const way = names.map((name) => {
    const field = fieldNamed(holder, name);
    if (field.fieldKind !== 'message') throw fault();
    holder = field.message;
    return field.localName;
  });
  const field = fieldNamed(holder, last);
  if (field.scalar !== ScalarType.STRING || field.fieldKind !== 'scalar') throw fault();
  return (response, origin) => {
    let at: Message | undefined = response;
    for (const name of way) at = at && (fieldsOf(at)[name] as Message | undefined);
    if (at === undefined) return;
    const fields = fieldsOf(at);
    const text = fields[field.localName];
    if (typeof text === 'string') fields[field.localName] = origin + text;
  };
}
