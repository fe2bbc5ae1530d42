import { basename } from 'node:path/posix';
import type { Operation, Value } from '../pages/api.js';

/** The request of a sample: an operation with the values of its example. */
export interface SampleRequest {
  /** Upper case. */
  method: string;
  /** With its values, percent-encoded; without the version, which the base URL has. */
  path: string;
  /** As the document has it: /v1/devices/{name}. */
  template: string;
  pathValues: Record<string, Value>;
  query: Record<string, Value | readonly Value[]>;
  headers: Record<string, string>;
  access: Operation['access'];
  body: { kind: 'none' } | { kind: 'json'; value: unknown } | { kind: 'file'; name: string; type: string };
  result: SampleResult;
}

/** What comes back: `job` has one to wait for; `cookie` has one that signs in; `model` is the schema of its JSON. */
export type SampleResult =
  | { kind: 'none' | 'socket' | 'events' }
  | { kind: 'json'; model: string; isJob: boolean; hasCookie: boolean }
  | { kind: 'file'; name: string };

/** Returns the request of an operation's example. */
export function sampleOf(operation: Operation): SampleRequest {
  const placed = (place: string): Record<string, Value> =>
    Object.fromEntries(
      operation.parameters
        .filter((parameter) => parameter.in === place && parameter.example !== undefined)
        .map(({ name, example }) => [name, example as Value]),
    );
  const pathValues = placed('path');
  const query = placed('query');
  const path = operation.path
    .replace(/^\/v1/, '')
    .replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(pathValues[name])));
  return {
    ...{ method: operation.method, path, template: operation.path, pathValues, query, access: operation.access },
    headers: Object.fromEntries(Object.entries(placed('header')).map(([name, value]) => [name, String(value)])),
    body: bodyOf(operation, query),
    result: resultOf(operation, query),
  };
}

/** Returns the path with its query, as it is sent. */
export function addressOf({ path, query }: SampleRequest): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value]
      .flat()
      .map((one) => `${name}=${encodeURIComponent(String(one)).replaceAll('%2F', '/').replaceAll('%3A', ':')}`),
  );
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

function bodyOf({ body, path }: Operation, query: Record<string, Value>): SampleRequest['body'] {
  if (body === undefined) return { kind: 'none' };
  if (body.type === 'application/json' && body.content.example !== undefined) {
    return { kind: 'json', value: body.content.example };
  }
  const ending = body.type === 'application/json' ? 'json' : basename(path);
  return { kind: 'file', name: nameIn(query) ?? `file.${ending}`, type: body.type };
}

function resultOf({ path, successes }: Operation, query: Record<string, Value>): SampleResult {
  const [success] = successes;
  const [type, content] = success?.content[0] ?? [];
  if (success?.status === '101') return { kind: 'socket' };
  if (type === undefined || content === undefined) return { kind: 'none' };
  if (type === 'text/event-stream') return { kind: 'events' };
  if (type === 'application/json') {
    const example = content.example as { job?: unknown } | undefined;
    const model = content.schema.$ref?.split('/').at(-1) ?? '';
    const hasCookie = success?.headers.includes('Set-Cookie') === true;
    return { kind: 'json', model, hasCookie, isJob: success?.status === '202' && example?.job !== undefined };
  }
  const format = query['format'] ?? ENDINGS[type] ?? 'bin';
  return { kind: 'file', name: nameIn(query) ?? `${basename(path)}.${format === 'jpeg' ? 'jpg' : format}` };
}

const ENDINGS: Record<string, string> = { 'image/png': 'png', 'image/webp': 'webp', 'text/html': 'html' };

/** The name of the file on the phone that a request is about. */
function nameIn({ path }: Record<string, Value>): string | undefined {
  return typeof path === 'string' ? basename(path) : undefined;
}
