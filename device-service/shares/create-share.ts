import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { createId } from '../../kit/ids.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { keyDigest } from '../access/key-text.js';
import { findVisibleDevice } from '../access/visibility.js';
import { SHARE_LIFETIME_S, SHARES_MOST } from '../limits.js';
import type { DeviceStore } from '../store/devices.js';
import type { ShareDocument, ShareStore } from '../store/shares.js';
import { hasExpired } from './caller-of-share.js';
import { createShareToken } from './share-token.js';

export interface ShareParts {
  devices: DeviceStore;
  shares: ShareStore;
  clock: Clock;
}

/**
 * Makes a share of a device. The token is returned here and stored nowhere: after a crash before the response, the share is in the list,
 * and nobody can use it. Throws forbidden when every place of the device is taken.
 *
 * A place is taken by the insert, under a unique index, so of shares made at the same time there are never too many.
 */
export async function createShare(
  { devices, shares, clock }: ShareParts,
  caller: Caller,
  choice: { name: string; access: 'read' | 'control'; lifetimeS?: number | undefined },
): Promise<{ share: ShareDocument; token: string }> {
  const { _id: phoneId, accountId } = await findVisibleDevice(devices, caller, choice.name);
  const token = createShareToken();
  const now = clock.now();
  const share = {
    _id: createId('shr', now),
    digest: keyDigest(token),
    accountId,
    phoneId,
    access: choice.access,
    maker: { id: caller.keyId, isOwner: caller.scope === Scope.OWNER },
    createdAt: new Date(now),
    expiresAt: new Date(now + (choice.lifetimeS ?? SHARE_LIFETIME_S) * 1000),
  };
  // Each try that fails has lost a place to another share, or finds it in the list the next time.
  for (let tries = 0; tries < SHARES_MOST; tries++) {
    const taken = await takenPlaces({ shares, clock }, phoneId);
    const free = Array.from({ length: SHARES_MOST }, (_, at) => at).filter((at) => !taken.has(at));
    // Not the first: hundreds that come together would all try that one, and all but one of them in vain.
    const place = free[Number.parseInt(share.digest.slice(0, 8), 16) % free.length];
    if (place === undefined) break;
    if (await shares.insert({ ...share, place })) return { share: { ...share, place }, token };
  }
  throw new ApiError(
    'forbidden',
    `The device "${choice.name}" has ${SHARES_MOST} shares, the most that are possible. End one that is not used: GET /v1/devices/${choice.name}/shares shows when each was last used, DELETE /v1/devices/${choice.name}/shares/{id} ends it.`,
  );
}

/** The places of shares whose time is not over. The others are removed now: the database does so only once a minute. */
async function takenPlaces({ shares, clock }: Omit<ShareParts, 'devices'>, phoneId: string): Promise<Set<number>> {
  const all = await shares.list(phoneId);
  const expired = all.filter((share) => hasExpired(share, clock));
  for (const { _id } of expired) await shares.remove(phoneId, _id);
  return new Set(all.filter((share) => !expired.includes(share)).map(({ place }) => place));
}
