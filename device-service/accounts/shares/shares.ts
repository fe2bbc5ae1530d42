import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { cutPage, pageOf } from '../../../kit/call/page.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { enumOf } from '../../../kit/text/wire-words.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import {
  type Share,
  ShareAccessSchema,
  ShareSchema,
} from '../../../proto/gen/cloudphone/device/v1/share_service_pb.js';
import { hasExpired } from '../callers/caller-of-share.js';
import { findVisibleDevice } from '../callers/visibility.js';
import type { ShareDocument } from '../../store/shares.js';
import type { AccountsContext } from '../accounts-context.js';

/** Returns a share as callers see it. `names` has the names of keys by id. `url` is only given in the response to its creation. */
export function shareMessage(share: ShareDocument, names: ReadonlyMap<string, string>, url?: string): Share {
  const { _id, access, maker, createdAt, expiresAt, lastUsedAt } = share;
  return create(ShareSchema, {
    id: _id,
    access: enumOf(ShareAccessSchema, access),
    ...(url !== undefined && { url }),
    createdAt: timestampFromDate(createdAt),
    expiresAt: timestampFromDate(expiresAt),
    ...(lastUsedAt !== undefined && { lastUsedAt: timestampFromDate(lastUsedAt) }),
    // A key is removed only together with its account, so its name is found.
    createdBy: maker.isOwner ? 'panel' : (names.get(maker.id) ?? ''),
  });
}

/** Returns a page of a device's shares that have not expired, newest first. A device has few shares, so all are read together. */
export async function listShares(
  { devices, keys, shares, clock }: AccountsContext,
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

/** Ends a share of a device for good. Requests with the share are refused from then on. */
export async function deleteShare(
  { devices, shares, clock, forgetCallers }: AccountsContext,
  caller: Caller,
  { name, id }: { name: string; id: string },
): Promise<void> {
  const { _id, handover } = await findVisibleDevice(devices, caller, name);
  const share = await shares.find(id);
  // A key that ended the link would take the phone from the person, and leave it to nobody. Whoever asked cancels the hand-over instead.
  if (handover !== undefined && handover.shareId === share?._id && caller.scope !== Scope.PERSON) {
    throw new ApiError(
      'forbidden',
      `The share "${id}" is the link of the hand-over ${handover.id}, by which a person has the phone. DELETE /v1/devices/${name}/handovers/${handover.id} cancels that.`,
    );
  }
  if (share?.phoneId !== _id || !(await shares.remove(_id, id)) || hasExpired(share, clock)) {
    throw new ApiError(
      'not_found',
      `The device "${name}" has no share "${id}". GET /v1/devices/${name}/shares lists those that have not ended.`,
    );
  }
  forgetCallers();
}
