import type { ServiceImpl } from '@connectrpc/connect';
import { callerOf } from '../../kit/rpc/context.js';
import { wordOf } from '../../kit/wire-words.js';
import { ShareAccessSchema, type ShareService } from '../../proto/gen/cloudphone/device/v1/share_service_pb.js';
import { createShare, type ShareParts } from '../shares/create-share.js';
import { deleteShare } from '../shares/delete-share.js';
import { getOwnShare } from '../shares/get-own-share.js';
import { listShares } from '../shares/list-shares.js';
import { shareMessage } from '../shares/share-message.js';
import { sharePath } from '../shares/share-token.js';
import type { KeyStore } from '../store/keys.js';
import type { ShareDocument } from '../store/shares.js';

export interface ShareRpcParts extends ShareParts {
  keys: KeyStore;
  /** Forgets the callers that this process remembers, so that a change holds at once. */
  forgetCallers: () => void;
}

/** Unpack, call, pack. */
export function shareRpc(parts: ShareRpcParts): ServiceImpl<typeof ShareService> {
  return {
    createShare: async ({ name, access, lifetimeS }, context) => {
      const choice = { name, access: wordOf(ShareAccessSchema, access) as ShareDocument['access'], lifetimeS };
      const { share, token } = await createShare(parts, callerOf(context), choice);
      const names = await parts.keys.findNames([share.maker.id]);
      return { share: shareMessage(share, names, sharePath(token)) };
    },
    listShares: (request, context) => listShares(parts, callerOf(context), request),
    deleteShare: async (request, context) => {
      await deleteShare(parts, callerOf(context), request);
      return {};
    },
    getOwnShare: async (_request, context) => ({ share: await getOwnShare(parts, callerOf(context)) }),
  };
}
