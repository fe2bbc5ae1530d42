import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { enumOf } from '../../kit/wire-words.js';
import { type Share, ShareAccessSchema, ShareSchema } from '../../proto/gen/cloudphone/device/v1/share_service_pb.js';
import type { ShareDocument } from '../store/shares.js';

/** A share as callers see it; `names` are those of keys by their ids. `url` is there in the response that made it. */
export function shareMessage(share: ShareDocument, names: ReadonlyMap<string, string>, url?: string): Share {
  const { _id, access, maker, createdAt, expiresAt, lastUsedAt } = share;
  return create(ShareSchema, {
    id: _id,
    access: enumOf(ShareAccessSchema, access),
    ...(url !== undefined && { url }),
    createdAt: timestampFromDate(createdAt),
    expiresAt: timestampFromDate(expiresAt),
    ...(lastUsedAt !== undefined && { lastUsedAt: timestampFromDate(lastUsedAt) }),
    // Keys go only with their account.
    createdBy: maker.isOwner ? 'panel' : (names.get(maker.id) ?? ''),
  });
}
