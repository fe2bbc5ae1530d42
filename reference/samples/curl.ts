import { JSON_STYLE, literal } from './literal.js';
import { addressOf, type SampleRequest } from './request.js';

/** Returns the curl command that sends the request, in the style of the guides. */
export function curlSample(request: SampleRequest): string {
  const { method, access, headers, body, result } = request;
  const base = `curl -sS${result.kind === 'events' ? 'N' : ''}${showsHeaders(request) ? 'i' : ''}`;
  const lines = [
    `${base}${method === 'GET' ? '' : ` -X ${method}`} "$CLOUDPHONE_URL${addressOf(request)}"`,
    ...(access === 'key' ? ['-H "Authorization: Bearer $CLOUDPHONE_KEY"'] : []),
    ...(access === 'session' ? ['-H "Cookie: $CLOUDPHONE_COOKIE"'] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(contentType(request) === undefined ? [] : [`-H 'Content-Type: ${contentType(request) ?? ''}'`]),
    ...(body.kind === 'json' ? [`-d ${quoted(literal(body.value, JSON_STYLE))}`] : []),
    ...(body.kind === 'file' ? [`-T ${quoted(body.name)}`] : []),
    ...(result.kind === 'file' ? [`--fail-with-body --output ${quoted(result.name)}`] : []),
    ...(result.kind === 'socket' ? HANDSHAKE : []),
  ];
  return lines.join(' \\\n  ');
}

/** Makes the request a handshake, and ends curl after five seconds of the screen. */
const HANDSHAKE = [
  "--http1.1 -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13'",
  '-H "Sec-WebSocket-Key: $(head -c 16 /dev/urandom | base64)" --max-time 5 --output live.bin',
];

/** Returns whether people make the request for the headers of its response. */
function showsHeaders({ result }: SampleRequest): boolean {
  return result.kind === 'json' && result.hasCookie;
}

/** Returns the Content-Type. A change by a session needs it even without a body, as it shows that no other page's form sent the request. */
export function contentType({ access, method, body }: SampleRequest): string | undefined {
  if (body.kind === 'file') return body.type;
  const isChange = access === 'session' && method !== 'GET';
  return body.kind === 'json' || isChange ? 'application/json' : undefined;
}

function quoted(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
