import type { DescField, DescMethod } from '@bufbuild/protobuf';
import type { ErrorKind } from '../../kit/errors/api-error.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { Route } from '../../gateway/routes/route.js';
import { commentOf, kindsIn, markKinds } from './contract-text.js';
import { errorRefs } from './errors.js';
import { exampleOf, fieldExample } from './examples.js';
import { responseHeaders } from './headers.js';
import type { Json } from './json.js';
import { isRequired } from './rules.js';
import { isInJson, type Schemas } from './schemas.js';

/** The operation of a route. */
export function operationOf(route: Route, schemas: Schemas): Json {
  const { rpc, scope, traits } = route;
  const comment = commentOf(rpc);
  const parameters = parametersOf(route, schemas);
  const requestBody = requestBodyOf(route, schemas);
  return {
    operationId: rpc.localName,
    tags: [tagOf(route)],
    summary: titleOf(rpc),
    description: `${markKinds(comment)}\n\n${CALLERS[scope]}${traits.shares ? SHARES : ''}`,
    security: SECURITY[scope],
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody !== undefined && { requestBody }),
    responses: { ...successOf(route, schemas), ...errorRefs(kindsOf(route, requestBody !== undefined)) },
  };
}

/** Words of operations' names that are not written in lower case. */
const PROPER: Record<string, string> = { adb: 'ADB', apk: 'APK', stripe: 'Stripe' };

/** The name of an operation as a title: `Create device`. */
function titleOf({ name }: DescMethod): string {
  const [first = '', ...rest] = name.split(/(?=[A-Z])/);
  return [first, ...rest.map((word) => PROPER[word.toLowerCase()] ?? word.toLowerCase())].join(' ');
}

/** The group of operations that a route belongs to: its service, without the word. */
export function tagOf({ rpc }: Route): string {
  return rpc.parent.name.replace(/Service$/, '');
}

const KEY = { apiKey: [] };
const SESSION = { session: [] };

const SECURITY: Record<Scope, Json[]> = {
  [Scope.UNSPECIFIED]: [],
  [Scope.PUBLIC]: [],
  [Scope.READ]: [KEY, SESSION],
  [Scope.CONTROL]: [KEY, SESSION],
  [Scope.PERSON]: [SESSION],
};

const CALLERS: Record<Scope, string> = {
  [Scope.UNSPECIFIED]: '',
  [Scope.PUBLIC]: '**Callers:** anyone, without a key.',
  [Scope.READ]: '**Callers:** keys with the scope `read` or `control`, and panel sessions.',
  [Scope.CONTROL]: '**Callers:** keys with the scope `control`, and panel sessions.',
  [Scope.PERSON]: '**Callers:** panel sessions only.',
};

/** The text that is added for a route that shares may call. Their tokens use the scheme `Bearer`, as keys do. */
const SHARES = ' Also the tokens of shares, in place of a key.';

/** Headers that OpenAPI does not describe as parameters. */
const NO_PARAMETERS = ['accept', 'content-type', 'authorization'];

/** Returns the names of the request fields that come in the path, in a header, in a cookie or in messages of a WebSocket. */
export function fieldsElsewhere({ binding, traits }: Route): Set<string> {
  const inPath = binding.segments.flatMap((segment) => ('field' in segment ? [segment.field] : []));
  const { socketField, silenceField, loginCookieField } = traits;
  return new Set([...inPath, ...traits.headers.map(({ field }) => field), socketField, silenceField, loginCookieField]);
}

function parametersOf(route: Route, schemas: Schemas): Json[] {
  const { rpc, binding, traits } = route;
  const example = exampleOf(rpc.input, 'request');
  const parameter = (name: string, place: string, field: DescField, required: boolean): Json => {
    const { description, ...schema } = schemas.schemaOf(field, 'request');
    const value = example[field.name] ?? (required ? fieldExample(field, 'request') : undefined);
    return { name, in: place, required, description, schema, ...(value !== undefined && { example: value }) };
  };
  const elsewhere = fieldsElsewhere(route);
  const isInQuery = ({ name }: DescField): boolean => name !== binding.body && !elsewhere.has(name);
  const inQuery = binding.body === '*' ? [] : rpc.input.fields.filter(isInQuery);
  return [
    ...binding.segments.flatMap((segment) =>
      'field' in segment ? [parameter(segment.field, 'path', fieldNamed(route, segment.field), true)] : [],
    ),
    ...inQuery.map((field) => parameter(field.name, 'query', field, isRequired(field))),
    ...traits.headers
      .filter(({ header }) => !NO_PARAMETERS.includes(header.toLowerCase()))
      .map(({ header, field: name }) => {
        const field = fieldNamed(route, name);
        return parameter(header, 'header', field, isRequired(field));
      }),
  ];
}

function fieldNamed({ rpc }: Route, name: string): DescField {
  const field = rpc.input.fields.find((candidate) => candidate.name === name);
  if (field === undefined) throw new Error(`${rpc.toString()}: the request has no field ${name}`);
  return field;
}

/** Returns the request's body; undefined when all fields are in the path or in headers. The API accepts `{}` there all the same. */
function requestBodyOf(route: Route, schemas: Schemas): Json | undefined {
  const { rpc, binding, bodyForm } = route;
  if (binding.body === undefined) return undefined;
  if (bodyForm === 'stream' || bodyForm === 'raw') {
    const types = route.traits.bodyTypes;
    if (types.length === 0) throw new Error(`${rpc.toString()}: its route option has no body_types`);
    return { required: true, content: Object.fromEntries(types.map((type) => [type, rawBody(type)])) };
  }
  const elsewhere = fieldsElsewhere(route);
  const inBody = rpc.input.fields.filter(({ name }) => !elsewhere.has(name));
  if (inBody.length === 0) return undefined;
  const all = Object.entries(exampleOf(rpc.input, 'request'));
  const example = Object.fromEntries(all.filter(([name]) => !elsewhere.has(name)));
  const required = inBody.some(isRequired) || rpc.input.oneofs.some((oneof) => oneof.fields.length > 1);
  return { required, content: { 'application/json': { schema: schemas.refTo(rpc.input, 'request'), example } } };
}

/** A body that is passed on as it comes. */
function rawBody(type: string): Json {
  return { schema: type === 'application/json' ? { type: 'object' } : BYTES };
}

/**
 * Schema of raw bytes. OpenAPI 3.1 has no keyword for them. Generators recognize this format; without it they would treat the bytes as
 * JSON.
 */
const BYTES = { type: 'string', format: 'binary' };

function successOf(route: Route, schemas: Schemas): Json {
  const { rpc, successStatus } = route;
  if (route.socket !== undefined) {
    return {
      101: {
        description: 'The WebSocket is open.',
        headers: responseHeaders(['Upgrade', 'Sec-WebSocket-Accept', 'Sec-WebSocket-Protocol']),
      },
      200: {
        description: 'The same over HTTP/2 (RFC 8441), where a proxy in front of the service takes it so.',
        headers: responseHeaders([]),
      },
    };
  }
  if (route.traits.redirectField !== '') {
    return {
      303: {
        description: 'The browser is sent on: there, or to the sign-in page with the reason.',
        headers: responseHeaders(['Location', 'Referrer-Policy', 'Set-Cookie']),
      },
    };
  }
  if (route.eventOf !== undefined) {
    return {
      200: {
        description: 'A stream of server-sent events, which goes on until one side ends it.',
        headers: responseHeaders(['X-Accel-Buffering']),
        content: { 'text/event-stream': { schema: { type: 'string' }, example: eventExample(route) } },
      },
    };
  }
  if (route.downloadOf !== undefined) {
    const { rawTypes, headers } = route.traits;
    const [type = 'application/octet-stream'] = rawTypes;
    const content = { [type]: { schema: BYTES } };
    const hasParts = headers.some(({ header }) => header === 'Range');
    const names = ['Content-Disposition', 'Content-Length', ...(hasParts ? ['ETag', 'Accept-Ranges'] : [])];
    return {
      [successStatus]: { description: 'The file, as it comes.', headers: responseHeaders(names), content },
      ...(hasParts && {
        206: {
          description: 'The part that `Range` requests.',
          headers: responseHeaders([...names, 'Content-Range']),
          content,
        },
        416: {
          description: 'The file does not have that range. There is no body.',
          headers: responseHeaders(['Accept-Ranges', 'Content-Range']),
        },
      }),
    };
  }
  const { rawField, rawTypes, headers, cookieField, loginField } = route.traits;
  const sent = headers.map(({ header }) => header.toLowerCase());
  const revalidates = sent.includes('if-none-match');
  const cached = revalidates ? ['ETag', 'Cache-Control', ...(rawField === 'image' ? ['X-Frame-Age-Ms'] : [])] : [];
  const names = [
    ...cached,
    ...(rawField === 'file' ? ['Content-Disposition'] : []),
    ...(sent.includes('idempotency-key') ? ['Idempotency-Replayed'] : []),
    ...(cookieField === '' && loginField === '' ? [] : ['Set-Cookie']),
  ];
  const hasJson = successStatus !== 204 && (rawField === '' || rpc.output.fields.some(isInJson));
  const content = {
    ...(hasJson && {
      'application/json': { schema: schemas.refTo(rpc.output, 'response'), example: exampleOf(rpc.output, 'response') },
    }),
    ...Object.fromEntries(rawTypes.map((type) => [type, rawContent(type)])),
  };
  if (rawField !== '' && rawTypes.length === 0) throw new Error(`${rpc.toString()}: its route option has no raw_types`);
  return {
    [successStatus]: {
      description: DESCRIPTIONS[successStatus] ?? 'Success.',
      headers: responseHeaders(names),
      ...(Object.keys(content).length > 0 && { content }),
    },
    ...(revalidates && { 304: { description: "The caller's copy is current.", headers: responseHeaders(cached) } }),
  };
}

const DESCRIPTIONS: Record<number, string> = {
  200: 'Success.',
  201: 'It was created.',
  202: 'The work was accepted and goes on. Poll the job, or wait for the event `job.finished`.',
  204: 'Done; there is no body.',
};

/** Describes a raw response: a text as a string with an example, and anything else as bytes. */
function rawContent(type: string): Json {
  const example = TEXT_EXAMPLES[type];
  return example === undefined ? { schema: BYTES } : { schema: { type: 'string' }, example };
}

/** Returns the beginning of a stream of events, with the event of the response's example. Its `data` is an object there. */
function eventExample({ rpc, traits }: Route): string {
  const example = exampleOf(rpc.output, 'response')[traits.eventField];
  const { id = '', type, data } = example as { id?: string; type: string; data: object };
  const place = id === '' ? '' : `id: ${id}\n`;
  return `retry: 3000\n:\n\n${place}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

const TEXT_EXAMPLES: Record<string, string> = {
  'text/plain': '11-20 17:00:00.000  1234  1234 I ActivityManager: Displayed com.example.notes/.MainActivity\n',
  'text/html': '<!doctype html>\n<html lang="en">…</html>\n',
  'application/x-ndjson': '{"id":"tl_1m7x2vye5t4vyenbj210hep75","at":"2026-11-20T17:00:00.000Z","kind":"act",…}\n',
  'text/csv': 'id,at,kind,device,amount,balance\r\n41,2026-11-20T17:00:00.000Z,minute,demo,-0.004,9.996\r\n',
};

/** Returns the kinds of errors that the operation's comments name, and those that every such operation may have. */
function kindsOf({ rpc, scope, binding, deviceField, traits }: Route, hasBody: boolean): ErrorKind[] {
  const inPath = deviceField !== undefined || binding.segments.some((segment) => 'field' in segment);
  const kinds: ErrorKind[] = ['bad_request', 'rate_limited', 'internal', 'unavailable', 'timeout'];
  if (scope !== Scope.PUBLIC) kinds.push('unauthorized', 'forbidden');
  if (inPath) kinds.push('not_found');
  // A lease of another caller refuses it.
  if (deviceField !== undefined && scope === Scope.CONTROL && !traits.freeWhileLeased) kinds.push('busy');
  if (hasBody || binding.body !== undefined) kinds.push('too_large', 'unsupported_media_type');
  return [...kinds, ...kindsIn(`${commentOf(rpc)}\n${commentOf(rpc.parent)}`)];
}
