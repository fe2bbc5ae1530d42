import { ApiError } from '../../kit/errors/api-error.js';
import { sealTotpSecrets } from '../accounts/factors/seal-totp-secrets.js';
import { sealStoredSteps } from '../fleet/groups/seal-stored-steps.js';
import type { FleetContext } from '../fleet/fleet-context.js';
import type { SealCounts } from '../store/seal-counts.js';

/** Secrets of one kind: API keys, proxies of devices, steps of groups and schedules, apps of second factors. */
export type SealedKind = SealCounts & { kind: 'keys' | 'proxies' | 'steps' | 'second_factors' };

/**
 * Seals every secret of the database with the first key of SECRETS_KEY. Each is changed by one conditional update, so a crash anywhere
 * leaves every secret readable with one of both keys, and the next call goes on. Throws busy when there is no SECRETS_KEY.
 */
export async function sealSecrets(context: FleetContext, hasSecretsKey: boolean): Promise<SealedKind[]> {
  const { keys, devices, exits } = context;
  if (!hasSecretsKey)
    throw new ApiError(
      'busy',
      'This service has no SECRETS_KEY: set it, start the service again, and repeat the command.',
    );
  const proxies = { sealed: 0, again: 0, unreadable: 0 };
  await devices.settings.replaceProxies((phoneId, proxy) => {
    const sealed = exits.sealed(phoneId, proxy);
    if (sealed === undefined) proxies.unreadable++;
    else proxies.sealed++;
    if (sealed === undefined || sealed === proxy) return undefined;
    proxies.again++;
    return sealed;
  });
  return [
    { kind: 'keys', ...(await keys.seal()) },
    { kind: 'proxies', ...proxies },
    { kind: 'steps', ...(await sealStoredSteps(context)) },
    { kind: 'second_factors', ...(await sealTotpSecrets(context)) },
  ];
}
