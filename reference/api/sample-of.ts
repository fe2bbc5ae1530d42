import { basename } from 'node:path/posix';
import type { SampleRequest, SampleResult, Value } from '../samples/request.js';
import type { Operation } from './api.js';

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
