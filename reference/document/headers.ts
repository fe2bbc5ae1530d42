import type { Json } from './json.js';

interface Header {
  description: string;
  schema: Json;
  example: unknown;
}

const whole = { type: 'integer', minimum: 0 };
const text = { type: 'string' };

/** Every header of responses, by name. */
const HEADERS: Record<string, Header> = {
  'X-Request-Id': {
    description:
      "Identifies the request in the service's logs: the caller's own `X-Request-Id` when it sent one of 1 to 128 printable ASCII characters, else a new one.",
    schema: { type: 'string', minLength: 1, maxLength: 128 },
    example: 'req_4bf92f3577b34da6a3ce929d0e0e4736',
  },
  'RateLimit-Limit': {
    description: 'Requests in a window of 60 s, for the tighter of the limits that the request counts against.',
    schema: whole,
    example: 60,
  },
  'RateLimit-Remaining': { description: 'The rest of them in this window.', schema: whole, example: 59 },
  'RateLimit-Reset': { description: 'Seconds until the window ends.', schema: whole, example: 60 },
  'Retry-After': { description: 'Seconds after which to try again.', schema: whole, example: 12 },
  'WWW-Authenticate': { description: 'How to authenticate: `Bearer`.', schema: text, example: 'Bearer' },
  ETag: {
    description: 'Identifies the content. Send it as `If-None-Match` to get 304 while the content is the same.',
    schema: text,
    example: '"5f2b1c0e"',
  },
  'Cache-Control': {
    description: 'Only the caller may keep a copy, and must revalidate it each time.',
    schema: text,
    example: 'private, no-cache',
  },
  'X-Frame-Age-Ms': {
    description: 'Age of the picture when it was sent, in milliseconds. Absent: not known.',
    schema: whole,
    example: 12,
  },
  'X-Accel-Buffering': {
    description: 'Has nginx pass on each event as it comes.',
    schema: { type: 'string', const: 'no' },
    example: 'no',
  },
  'Idempotency-Replayed': {
    description: 'The response is that of an earlier request with the same `Idempotency-Key`; nothing was done again.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  'Content-Disposition': {
    description: "`attachment`, with the file's name (RFC 6266).",
    schema: text,
    example: 'attachment; filename="photo.jpg"',
  },
  'Content-Length': {
    description: 'How many bytes the file has. Absent: not known before its end.',
    schema: whole,
    example: 48213,
  },
  'Accept-Ranges': {
    description: 'Parts of the file can be requested by a `Range` header.',
    schema: { type: 'string', const: 'bytes' },
    example: 'bytes',
  },
  'Content-Range': {
    description: 'Which bytes of the file were sent, and how many it has (RFC 9110).',
    schema: text,
    example: 'bytes 0-1023/48213',
  },
  'Referrer-Policy': {
    description: 'The address is named to no other site.',
    schema: text,
    example: 'no-referrer',
  },
  Location: {
    description: 'Where the browser is sent.',
    schema: text,
    example: '/phones',
  },
  Upgrade: {
    description: 'The protocol from now on.',
    schema: { type: 'string', const: 'websocket' },
    example: 'websocket',
  },
  'Sec-WebSocket-Protocol': {
    description: 'The first of the protocols that the handshake offered, where it offered some.',
    schema: text,
    example: 'cloudphone.share',
  },
  'Sec-WebSocket-Accept': {
    description: 'Proves to the client that its handshake was understood (RFC 6455).',
    schema: text,
    example: 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=',
  },
  'Set-Cookie': {
    description:
      'The session cookie `cp_session`: HttpOnly, SameSite=Lax, and Secure where the service is reached by https.',
    schema: text,
    example: 'cp_session=0p9v…; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax',
  },
};

/** The headers of every response under /v1. */
const EVERYWHERE = ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** Returns references to the headers of a response: those that every response has, and those in `names`. */
export function responseHeaders(names: readonly string[]): Json {
  const all = [...EVERYWHERE, ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The headers that responses refer to. */
export function headerComponents(): Json {
  return { ...HEADERS };
}
