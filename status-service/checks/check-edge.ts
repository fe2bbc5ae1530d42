import type { OwnTrust } from '../../kit/https/server-certificate.js';
import { errorKinds } from '../../kit/errors/api-error.js';
import { STATUS_CHECK_KEY } from '../../kit/call/status-check-key.js';
import { probe } from './probe.js';
import { ProbeFault, type Outcome } from './outcome.js';

/** Kinds of error with which a working edge responds to it. Too many wrong keys may have come from our address. */
const PROPER_KINDS = ['unauthorized', 'rate_limited'] as const;

/** Where customers reach the REST API. */
interface Api {
  url: URL;
  /** Absent: the certificates that the system trusts. */
  trust: (() => OwnTrust) | undefined;
}

/**
 * Makes a request with an invalid key to the public REST address. The check passes when the API refuses the key, or the number of requests.
 */
export async function checkEdge(
  { url: api, trust }: Api,
  path: string,
  more: Record<string, string>,
  signal: AbortSignal,
): Promise<Outcome> {
  const url = new URL(`${api.pathname.replace(/\/$/, '')}${path}`, api);
  const headers = { authorization: `Bearer ${STATUS_CHECK_KEY}`, 'user-agent': 'cloudphone-status', ...more };
  const { status, body } = await probe(url, { headers, signal, ...trust?.() });
  if (PROPER_KINDS.some((kind) => errorKinds[kind].status === status && kindIn(body) === kind)) return { state: 'ok' };
  throw new ProbeFault(
    status >= 500 ? `responded with an error (${status})` : `responded in an unexpected way (${status})`,
  );
}

/** Checks the API with a GET of a resource that every key may read. */
export function checkApi(api: Api, signal: AbortSignal): Promise<Outcome> {
  return checkEdge(api, '/v1/models', { accept: 'application/json' }, signal);
}

/** Checks live screens by an attempt to open that of a device. */
export function checkLive(api: Api, signal: AbortSignal): Promise<Outcome> {
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  return checkEdge(api, '/v1/devices/x/live', { ...upgrade, 'sec-websocket-key': WEBSOCKET_KEY }, signal);
}

/** Any 16 bytes. */
const WEBSOCKET_KEY = Buffer.from('cloudphonestatus').toString('base64');

function kindIn(body: string): unknown {
  try {
    return (JSON.parse(body) as { error?: unknown } | null)?.error;
  } catch {
    // Something in front of the API responded in its place.
    return undefined;
  }
}
