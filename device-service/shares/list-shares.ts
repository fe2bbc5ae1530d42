import { cutPage, pageOf } from '../../kit/page.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Share } from '../../proto/gen/cloudphone/device/v1/share_service_pb.js';
import { findVisibleDevice } from '../access/visibility.js';
import type { KeyStore } from '../store/keys.js';
import { hasExpired } from './caller-of-share.js';
import type { ShareParts } from './create-share.js';
import { shareMessage } from './share-message.js';

/** A page of the shares of a device whose time is not over, newest first. They are few, so they are read together. */
export async function listShares(
  { devices, keys, shares, clock }: ShareParts & { keys: KeyStore },
  caller: Caller,
  request: { name: string; limit?: number | undefined; cursor?: string | undefined },
): Promise<{ shares: Share[]; nextCursor?: string }> {
  const { limit, after } = pageOf(request);
  const { _id } = await findVisibleDevice(devices, caller, request.name);
  const good = (await shares.list(_id)).filter((share) => !hasExpired(share, clock));
  // Ids sort by time.
  const rest = good
    .filter((share) => after === undefined || share._id < after)
    .sort((a, b) => (a._id < b._id ? 1 : -1));
  const { items, ...more } = cutPage(rest, limit, (share) => share._id);
  const names = await keys.findNames(items.map(({ maker }) => maker.id));
  return { shares: items.map((share) => shareMessage(share, names)), ...more };
}
