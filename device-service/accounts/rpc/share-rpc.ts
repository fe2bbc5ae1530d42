import type { ServiceImpl } from '@connectrpc/connect';
import { callerOf } from '../../../kit/rpc/context.js';
import { wordOf } from '../../../kit/text/wire-words.js';
import { ShareAccessSchema, type ShareService } from '../../../proto/gen/cloudphone/device/v1/share_service_pb.js';
import { createShare } from '../shares/create-share.js';
import { getOwnShare } from '../shares/get-own-share.js';
import { deleteShare, listShares, shareMessage } from '../shares/shares.js';
import { sharePath } from '../callers/share-token.js';
import type { ShareDocument } from '../../store/shares.js';
import type { AccountsContext } from '../accounts-context.js';

/** Adapts the operations of shares to their rpcs. */
export function shareRpc(parts: AccountsContext): ServiceImpl<typeof ShareService> {
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
