import type { OwnTrust } from '../../kit/https/server-certificate.js';
import { errorKinds } from '../../kit/errors.js';
import { STATUS_CHECK_KEY } from '../../kit/status-check-key.js';
import { askDoor } from './ask-door.js';
import { DoorFault, type Outcome } from './outcome.js';

/** Kinds of error with which a working edge responds to it. Too many wrong keys may have come from our address. */
const PROPER_KINDS = ['unauthorized', 'rate_limited'] as const;

/** Where customers reach the REST API. */
interface Api {
  url: URL;
  /** Absent: the certificates that the system trusts. */
  trust: (() => OwnTrust) | undefined;
}

/** Makes a request to the public REST address: it must be refused as the API refuses, in JSON, for its key and for nothing else. */
export async function checkEdge(
  { url: api, trust }: Api,
  path: string,
  more: Record<string, string>,
  signal: AbortSignal,
): Promise<Outcome> {
  const url = new URL(`${api.pathname.replace(/\/$/, '')}${path}`, api);
  const headers = { authorization: `Bearer ${STATUS_CHECK_KEY}`, 'user-agent': 'cloudphone-status', ...more };
  const { status, body } = await askDoor(url, { headers, signal, ...trust?.() });
  if (PROPER_KINDS.some((kind) => errorKinds[kind].status === status && kindIn(body) === kind)) return { state: 'ok' };
  throw new DoorFault(
    status >= 500 ? `responded with an error (${status})` : `responded in an unexpected way (${status})`,
  );
}

/** A GET of a resource that every key may read. */
export function checkApi(api: Api, signal: AbortSignal): Promise<Outcome> {
  return checkEdge(api, '/v1/models', { accept: 'application/json' }, signal);
}

/** An attempt to open the live screen of a device. */
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
