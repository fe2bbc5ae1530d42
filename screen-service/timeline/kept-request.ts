import type { DescMessage, Message } from '@bufbuild/protobuf';
import { createJsonEncoders } from '../../kit/json/encode.js';
import { hideSecretText, MAX_SEARCHED_CHARS } from '../secrets/hide-secrets.js';
import { SearchWork } from '../secrets/search-work.js';
import type { Secret } from '../secrets/secret.js';

const encoderFor = createJsonEncoders();

type Json = Record<string, unknown>;

/**
 * Returns a request as a timeline keeps it: as JSON of the wire, without empty lists and without secrets. Typed text is kept only where it
 * is in `shown`. These texts are known to show on the screen, and so are in no password field. Other typed text is replaced by its length.
 * Text for the clipboard is never kept. An address loses its user-info and its query, as they hold credentials. Texts that show a part of
 * `secrets` are hidden.
 */
export function keptRequest(
  schema: DescMessage,
  request: Message,
  { secrets, shown }: { secrets: readonly Secret[]; shown: ReadonlySet<string> },
): unknown {
  const work = new SearchWork(MAX_SEARCHED_CHARS);
  const keep = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') return hideSecretText(value, secrets, work);
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
