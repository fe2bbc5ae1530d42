import { ApiError } from '../../../kit/errors/api-error.js';
import { createId } from '../../../kit/text/ids.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { makerOf } from '../callers/group-rights.js';
import { keyDigest } from '../callers/key-text.js';
import { findDeviceToChange } from '../callers/leased.js';
import { SHARE_LIFETIME_S, MAX_SHARES } from '../limits.js';
import type { ShareDocument } from '../../store/shares.js';
import { hasExpired } from '../callers/caller-of-share.js';
import { createShareToken } from '../callers/share-token.js';
import type { AccountsContext } from '../accounts-context.js';

/**
 * Makes a share of a device. The token is returned here and stored nowhere. After a crash before the response, the share is in the list,
 * and nobody can use it. Throws forbidden when every place of the device is taken.
 *
 * The insert takes the place, under a unique index. So there are never too many shares, even when several are made at the same time.
 */
export async function createShare(
  context: AccountsContext,
  caller: Caller,
  choice: { name: string; access: 'read' | 'control'; lifetimeS?: number | undefined; handoverId?: string },
): Promise<{ share: ShareDocument; token: string }> {
  const { devices, shares, clock } = context;
  const { _id: phoneId, accountId } = await findDeviceToChange(devices, caller, choice.name);
  const token = createShareToken();
  const now = clock.now();
  const share = {
    _id: createId('shr', now),
    digest: keyDigest(token),
    accountId,
    phoneId,
    access: choice.access,
    ...(choice.handoverId !== undefined && { handoverId: choice.handoverId }),
    maker: makerOf(caller),
    createdAt: new Date(now),
    expiresAt: new Date(now + (choice.lifetimeS ?? SHARE_LIFETIME_S) * 1000),
  };
  // A try fails when another share has just taken the same place. The next try chooses among the places that are still free.
  for (let tries = 0; tries < MAX_SHARES; tries++) {
    const taken = await takenPlaces(context, phoneId);
    const free = Array.from({ length: MAX_SHARES }, (_, at) => at).filter((at) => !taken.has(at));
    // The place is not always the first one: hundreds of simultaneous requests would all try that one, and all but one of them would
    // fail.
    const place = free[Number.parseInt(share.digest.slice(0, 8), 16) % free.length];
    if (place === undefined) break;
    if (await shares.insert({ ...share, place })) return { share: { ...share, place }, token };
  }
  throw new ApiError(
    'forbidden',
    `The device "${choice.name}" has ${MAX_SHARES} shares, the most that are possible. End one that is not used: GET /v1/devices/${choice.name}/shares shows when each was last used, DELETE /v1/devices/${choice.name}/shares/{id} ends it.`,
  );
}

/** Returns the places of shares that have not expired. Expired shares are removed now, as the database does so only once a minute. */
async function takenPlaces({ shares, clock }: AccountsContext, phoneId: string): Promise<Set<number>> {
  const all = await shares.list(phoneId);
  const expired = all.filter((share) => hasExpired(share, clock));
  for (const { _id } of expired) await shares.remove(phoneId, _id);
  return new Set(all.filter((share) => !expired.includes(share)).map(({ place }) => place));
}
