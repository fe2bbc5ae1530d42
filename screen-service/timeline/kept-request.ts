import type { DescMessage, Message } from '@bufbuild/protobuf';
import { createJsonEncoders } from '../../kit/json/encode.js';
import { hideSecretText } from '../observe/hide-secrets.js';

const encoderFor = createJsonEncoders();

type Json = Record<string, unknown>;

/**
 * A request as its timeline keeps it: as JSON of the wire, without empty lists and without secrets. Typed text is kept only where it is in
 * `shown`: known to show on the screen, and so in no password field; in its place there is its length. What is put into the clipboard is
 * never kept, and of an address neither user-info nor query, as they hold credentials. Whatever shows a part of `secrets` is hidden.
 */
export function keptRequest(
  schema: DescMessage,
  request: Message,
  { secrets, shown }: { secrets: readonly string[]; shown: ReadonlySet<string> },
): unknown {
  const keep = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') return secrets.length === 0 ? value : hideSecretText(value, secrets);
    if (Array.isArray(value)) return value.map((item) => keep(item, name));
    if (typeof value !== 'object' || value === null) return value;
    const { text, set, url, ...rest } = value as Json;
    const isTyping = name === 'type' || (name === 'text' && typeof text === 'string');
    const kept = Object.fromEntries(
      Object.entries(rest)
        .filter(([, field]) => !(Array.isArray(field) && field.length === 0))
        .map(([field, inner]) => [field, keep(inner, field)]),
    );
    if (typeof text === 'string') {
      const mayShow = !isTyping || text === '' || ((value as Json)['secret'] !== true && shown.has(text));
      Object.assign(kept, mayShow ? { text: keep(text, '') } : lengthOf(text));
    } else if (text !== undefined) {
      kept['text'] = keep(text, 'text');
    }
    if (typeof set === 'string') Object.assign(kept, lengthOf(set));
    if (typeof url === 'string') kept['url'] = keep(url.replace(/\/\/[^@/?#]*@/, '//').replace(/[?#].*$/s, '?…'), '');
    return kept;
  };
  return keep(JSON.parse(encoderFor(schema)(request)), '');
}

function lengthOf(text: string): { characters: number } {
  return { characters: Array.from(text).length };
}
