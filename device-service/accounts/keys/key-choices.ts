import { parseHttpUrl } from '../../../kit/text/parse-url.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { parseAllowList } from '../../../kit/net/allow-list.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { seenBy } from '../callers/visibility.js';
import type { DeviceStore } from '../../store/devices.js';

/** Throws bad_request unless `names` is `["*"]` or names only devices of the account. */
export async function assertOwnDevices(
  devices: DeviceStore,
  accountId: string,
  names: readonly string[],
): Promise<void> {
  if (names.includes('*')) {
    if (names.length === 1) return;
    throw new ApiError('bad_request', 'devices: "*" means all devices, so it must be the only entry');
  }
  const known = new Set(await devices.findNames(accountId, names));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const shown = unknown.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 40)));
  throw new ApiError(
    'bad_request',
    `devices: ${shown.join(', ')} ${unknown.length === 1 ? 'is no device' : 'are no devices'} of this account. ` +
      'Name devices of GET /v1/devices, or "*" for all.',
  );
}

/**
 * Throws forbidden for a device that the caller does not see itself, and bad_request as assertOwnDevices does. A key for all devices, or for a
 * label, needs no such check: it never shows more than its member sees.
 */
export async function assertSees(devices: DeviceStore, caller: Caller, names: readonly string[]): Promise<void> {
  const { accountId } = caller;
  const seen = seenBy(caller);
  if (seen === undefined || names.length === 0 || names.includes('*')) return;
  await assertOwnDevices(devices, accountId, names);
  const visible = new Set((await devices.listSeen(accountId, seen, MAX_VISIBLE)).map(({ name }) => name));
  const hidden = names.find((name) => !visible.has(name));
  if (hidden === undefined) return;
  throw new ApiError(
    'forbidden',
    `devices: you do not see "${hidden}", so your keys cannot. GET /v1/devices lists yours.`,
  );
}

/** Most devices that are looked through. It is above the devices that accounts have. */
const MAX_VISIBLE = 10_000;

/**
 * Returns the addresses that a key works from; undefined for ["*"], which is everywhere. Throws bad_request that names an entry that is no
 * address and no range.
 */
export function allowChoice(entries: readonly string[]): string[] | undefined {
  if (entries.length === 1 && entries[0] === '*') return undefined;
  return [...new Set(parseAllowList(entries).entries)];
}

/** Throws bad_request for more requests a minute than the operator lets each key make. */
export function assertRate(requestsPerMinute: number, most: number): void {
  if (requestsPerMinute <= most) return;
  throw new ApiError(
    'bad_request',
    `requests_per_minute: ${requestsPerMinute} is more than ${most}, the most of a key here.`,
  );
}

/**
 * Throws bad_request unless `url` is https. Http is accepted too where the operator allows private targets, as for tests on one machine.
 */
export function assertWebhookUrl(url: string, allowPrivateTargets: boolean): void {
  const protocol = WITH_HOST.test(url) ? parseHttpUrl(url)?.protocol : undefined;
  if (protocol === 'https:' || (protocol === 'http:' && allowPrivateTargets)) return;
  // The URL itself is not repeated: it can hold a password.
  throw new ApiError(
    'bad_request',
    allowPrivateTargets
      ? 'webhook_url: must be an http or https URL such as http://localhost:3000/hook'
      : 'webhook_url: must be an https URL such as https://example.com/hook. For receivers on http, or in a private network, the ' +
          'operator sets ALLOW_PRIVATE_TARGETS=on.',
  );
}

/**
 * Matches a URL that names its host. The parser of URLs takes the host of `https:///x` and `https:x` from the path, and drops white
 * space.
 */
const WITH_HOST = /^https?:\/\/[^\s/\\?#]\S*$/i;
