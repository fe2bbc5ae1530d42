import { parseHttpUrl } from '../../../kit/text/parse-url.js';
import { ApiError } from '../../../kit/errors/api-error.js';
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
