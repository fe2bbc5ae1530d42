import { EDGE_LIMITS } from '../../gateway/limits.js';
import type { SlotTexts } from '../../gateway/slots.js';
import { errorTable } from './errors.js';

/** The rules of every operation, as Markdown. */
export function introduction({ keyRequests, accountRequests, deviceRequests }: SlotTexts): string {
  const { maxRequestsUnderWay, maxSessionRequests, maxBodyBytes, silenceMs } = EDGE_LIMITS;
  return `Virtual Android phones over HTTP.

Bodies are JSON in UTF-8 with \`snake_case\` names. Times are RFC 3339 in UTC. Durations are whole seconds (\`_s\`) or milliseconds (\`_ms\`).
Money is a decimal string in USD. Coordinates are pixels of the screen as it is turned now, from the top left. A field without a value is
left out, never \`null\`. Responses in JSON have \`Cache-Control: no-store\`, as some hold secrets; pictures can be revalidated by their \`ETag\`.

# Authentication

Send \`Authorization: Bearer <API key>\`. Keys are made by signed-in people (\`POST /v1/keys\`) or by the operator; a key is shown once.
A key has a scope (\`read\`: every GET; \`control\`: everything but what needs a signed-in person) and a list of devices, which it sees
together with those that it makes itself.

The panel signs people in with \`POST /v1/session\`, which sets the cookie \`cp_session\` (\`__Host-cp_session\` over https). Requests with
the cookie that change something are refused when a browser reports that another origin's page sent them; a program, which sends no
\`Origin\`, adds \`Content-Type: application/json\` to each of them, also to one without a body, or any \`X-Requested-With\`.

# Long-running operations

They return 202 with \`{job}\` before the work is done. Wait with \`GET /v1/jobs/{id}?wait_s=60\`, or receive the event \`job.finished\`. A job
is \`running\`, then \`done\` or \`failed\` with an \`error\`.

# Errors

Every error is \`{"error": kind, "message": text}\`. The text names the next step and may change; the kind does not.

${errorTable()}

An operation lists the errors that it is likely to return. A path that does not exist is 404 with and without a key, and one that does not
have the method is 405 with \`Allow\`. HEAD works wherever GET does.

# Limits

| What | Limit | Else |
|---|---|---|
| Requests of a key | ${keyRequests} a minute | 429 \`rate_limited\` |
| Requests of an account, of all its keys and sessions | ${accountRequests} a minute | 429 \`rate_limited\` |
| Requests of an account at the same time | ${maxRequestsUnderWay} | 429 \`rate_limited\` |
| Requests for a device, of all keys | ${deviceRequests} a minute | 429 \`rate_limited\` |
| Requests of a panel session | ${maxSessionRequests} a minute | 429 \`rate_limited\` |
| JSON body | ${maxBodyBytes / 1024} KiB | 413 \`too_large\` |
| Uploaded app | 2 GiB | 413 \`too_large\` |
| Time in which a client reads nothing of a response | ${silenceMs / 1000} s | the connection is closed |

\`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` are on every response and show the tightest window; \`Retry-After\` is on a
429. A window begins with the first request after the one before ended.

# Requests

\`X-Request-Id\`: a request may bring its own, of 1 to 128 printable ASCII characters; the response has it, or a new one. Report it with a problem.

\`traceparent\`: a W3C trace context is passed on to every part of the service, and to webhooks.

\`Idempotency-Key\` on \`POST /v1/devices\` and on the clone of a snapshot: the same request can be sent again without a second device or a second charge; see the operation.

# Lists

Lists are paginated: they take \`limit\` (1 to 200, default 100) and \`cursor\`, and return \`next_cursor\` when there is a next page.

# Versioning

The version is part of each path: \`/v1\`. Within it, operations, optional parameters, fields of responses and values of enumerations are
added; nothing is removed, renamed or given another meaning. Programs should ignore fields that they do not know.
`;
}
