import { type ErrorKind, errorKinds } from '../../kit/errors/api-error.js';
import { responseHeaders } from './headers.js';
import type { Json } from './json.js';

/** The meaning of each kind of error, and an example of its text. */
const MEANINGS: Record<ErrorKind, readonly [meaning: string, example: string]> = {
  bad_request: [
    'A field, parameter or header is missing, unknown, or has a value that is not allowed.',
    'plan: "weekly" is not one of minute, month.',
  ],
  unauthorized: [
    'The key is missing, wrong or revoked.',
    'No valid API key. Send the header "Authorization: Bearer <API key>" with a key that has not been revoked.',
  ],
  insufficient_funds: [
    'The balance is too low for the operation, and nothing was done.',
    'The balance of 0.00 USD does not cover the first minute. Top up the account.',
  ],
  forbidden: [
    "The key's scope or list of devices does not allow it.",
    'This key is read-only; this operation needs a control key.',
  ],
  not_found: ['There is no such thing, or the key cannot see it.', 'There is no device "demo".'],
  method_not_allowed: [
    'The path exists, but not with this method.',
    'PUT is not possible here; allowed: GET, HEAD, POST.',
  ],
  busy: [
    'The device is already in that state, another job is at work on it, another caller has a lease of it, or it does not run.',
    'Device "demo" does not run. Start it with POST /v1/devices/demo/start.',
  ],
  too_large: [
    'The body is larger than allowed: 1 MiB of JSON, 2 GiB of an app.',
    'The body is larger than 1048576 bytes.',
  ],
  unsupported_media_type: [
    'The body is of a type that the operation does not take.',
    'The Content-Type is "text/plain". Send JSON in UTF-8 with Content-Type: application/json.',
  ],
  rate_limited: [
    'Too many requests. Wait for `Retry-After` seconds.',
    'More than 60 requests a minute for this key. Try again in 12 s.',
  ],
  internal: [
    'A fault of the service itself.',
    'Something went wrong on our side. Try again; if it persists, report the X-Request-Id of this response to the operator.',
  ],
  unavailable: [
    'A part of the service or the phone is away for now. Retry after `Retry-After` seconds.',
    'The connection to the phone broke. Try again.',
  ],
  timeout: [
    'The phone or a part of the service did not respond in time.',
    'The phone did not respond in time. Try again.',
  ],
};

/** Name of the component for the responses of a kind: `Busy` for busy. */
function componentOf(kind: ErrorKind): string {
  return kind.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The error responses that operations refer to. */
export function errorResponses(): Json {
  return Object.fromEntries(
    (Object.keys(errorKinds) as ErrorKind[])
      // It is an error of paths without the method, so no operation has it.
      .filter((kind) => kind !== 'method_not_allowed')
      .map((kind) => {
        const [meaning, message] = MEANINGS[kind];
        const content = {
          'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: { error: kind, message } },
        };
        return [
          componentOf(kind),
          { description: `\`${kind}\`: ${meaning}`, headers: responseHeaders(errorHeaders[kind] ?? []), content },
        ];
      }),
  );
}

const REPLAYED = ['Idempotency-Replayed'];

const errorHeaders: Partial<Record<ErrorKind, readonly string[]>> = {
  bad_request: REPLAYED,
  insufficient_funds: REPLAYED,
  forbidden: REPLAYED,
  not_found: REPLAYED,
  busy: REPLAYED,
  unauthorized: ['WWW-Authenticate'],
  rate_limited: ['Retry-After'],
  unavailable: ['Retry-After'],
};

/** References to the responses of these kinds, by status. */
export function errorRefs(kinds: Iterable<ErrorKind>): Json {
  return Object.fromEntries(
    [...new Set(kinds)]
      .map((kind) => [errorKinds[kind].status, { $ref: `#/components/responses/${componentOf(kind)}` }] as const)
      .sort(([a], [b]) => a - b),
  );
}

/** The error object, whose kinds are closed and whose text is not. */
export function errorSchema(): Json {
  return {
    type: 'object',
    description: 'The reason of a failure, as in every error response.',
    properties: {
      error: { type: 'string', description: 'Machine-readable kind.', enum: Object.keys(errorKinds) },
      message: { type: 'string', description: 'The next step, for people. Not stable: do not match on it.' },
    },
    required: ['error', 'message'],
    additionalProperties: false,
  };
}

/** The table of kinds, as Markdown. */
export function errorTable(): string {
  const rows = (Object.keys(errorKinds) as ErrorKind[]).map(
    (kind) => `| ${errorKinds[kind].status} | \`${kind}\` | ${MEANINGS[kind][0]} |`,
  );
  return ['| Status | `error` | When |', '|---|---|---|', ...rows].join('\n');
}
