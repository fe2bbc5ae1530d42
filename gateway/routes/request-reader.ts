import type { IncomingHttpHeaders } from 'node:http';
import { create, type DescField, type DescMethod, type Message, ScalarType } from '@bufbuild/protobuf';
import { type RawBody, RawBodySchema, type Route as Traits } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { fieldsOf } from '../../kit/json/encode.js';
import type { Body } from '../http/read-body.js';
import type { JsonDecoders } from '../json/decode.js';
import { type JsonValue } from '../json/parse.js';
import { createQueryDecoder, textSetter } from '../json/query.js';
import { kindOf } from '../json/value.js';
import type { Binding } from './http-rule.js';

/** The parts of an HTTP request from which an rpc's request is made. */
export interface RequestParts {
  /** Path parameters by name, percent-decoded. */
  params: Readonly<Record<string, string>>;
  /** The query without the question mark. */
  query: string;
  headers: IncomingHttpHeaders;
  /** The cookie of a sign-in elsewhere. Absent: the request has none, or the route does not read it. */
  loginToken?: string | undefined;
  /** The body in the form that the route takes; undefined when the request has none. */
  body: Body;
}

/** Makes an rpc's request. Throws bad_request. */
export type ReadRequest = (parts: RequestParts) => Message;

/**
 * Creates the reader of a route's requests. Every field has one place: the path, a header, the body, or the query. A field of the path or
 * of a header is unknown to body and query, so that a request cannot contradict itself. The fields of a WebSocket's messages, `ofSocket`,
 * are unknown to body and query too.
 */
export function createRequestReader(
  rpc: Pick<DescMethod, 'input'>,
  binding: Binding,
  { headers, loginCookieField }: Pick<Traits, 'headers' | 'loginCookieField'>,
  decoders: JsonDecoders,
  ofSocket: readonly string[] = [],
): ReadRequest {
  const fieldNamed = (name: string): DescField => {
    const field = rpc.input.fields.find((candidate) => candidate.name === name);
    if (field === undefined) throw new Error(`${binding.template}: ${rpc.input.typeName} has no field ${name}`);
    return field;
  };
  const taken = new Set<string>(ofSocket);
  const inPath = binding.segments.flatMap((segment) => {
    if (!('field' in segment)) return [];
    taken.add(segment.field);
    return [{ name: segment.field, set: textSetter(fieldNamed(segment.field), decoders) }];
  });
  const inHeaders = headers.map(({ header, field: name }) => {
    const field = fieldNamed(name);
    if (field.fieldKind !== 'scalar' || field.scalar !== ScalarType.STRING) {
      throw new Error(`${binding.template}: header ${header} requires a string field, which ${name} is not`);
    }
    taken.add(name);
    return { header: header.toLowerCase(), name, set: decoders.setterFor(field) };
  });
  const loginField = loginCookieField === '' ? undefined : fieldNamed(loginCookieField);
  taken.add(loginCookieField);
  const setLogin = loginField && decoders.setterFor(loginField);
  const setBody = bodySetter(rpc, binding, taken, decoders, fieldNamed);
  const inQuery = binding.body === '*' ? [] : rpc.input.fields.filter(({ name }) => !taken.has(name));
  const setQuery = createQueryDecoder(inQuery, decoders, { othersLeftOut: loginField !== undefined });

  return ({ params, query, headers: sent, loginToken, body }) => {
    const request = create(rpc.input);
    if (body !== undefined) setBody(request, body);
    setQuery(query, request);
    for (const { header, name, set } of inHeaders) {
      const value = sent[header];
      if (value !== undefined) set(request, Array.isArray(value) ? value.join(', ') : value, name);
    }
    if (loginToken !== undefined) setLogin?.(request, loginToken, loginCookieField);
    for (const { name, set } of inPath) set(request, params[name] ?? '', name);
    return request;
  };
}

function bodySetter(
  rpc: Pick<DescMethod, 'input'>,
  { body, template }: Binding,
  taken: Set<string>,
  decoders: JsonDecoders,
  fieldNamed: (name: string) => DescField,
): (request: Message, body: JsonValue | RawBody) => void {
  if (body === undefined) {
    return () => {
      throw new Error(`${template}: a body was read for a route without one`);
    };
  }
  if (body === '*') {
    const decode = decoders.decoderFor(rpc.input, taken);
    return (request, value) => {
      if (!(value instanceof Map))
        throw new ApiError('bad_request', `The body must be a JSON object, not ${kindOf(value as JsonValue)}.`);
      decode(value, request, '');
    };
  }
  const field = fieldNamed(body);
  taken.add(body);
  if (field.message?.typeName === RawBodySchema.typeName) {
    return (request, value) => {
      fieldsOf(request)[field.localName] = value;
    };
  }
  const set = decoders.setterFor(field);
  return (request, value) => set(request, value as JsonValue, body);
}
