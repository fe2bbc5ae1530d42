import type { ServiceImpl } from '@connectrpc/connect';
import { callerOf } from '../../../kit/rpc/context.js';
import { wordOf } from '../../../kit/text/wire-words.js';
import { type KeyScope, KeyScopeSchema } from '../../../proto/gen/cloudphone/access/v1/key_pb.js';
import type { KeyService } from '../../../proto/gen/cloudphone/access/v1/key_service_pb.js';
import { revokeKey, updateKey } from '../keys/change-key.js';
import { createKey } from '../keys/create-key.js';
import { keyMessage, listKeys } from '../keys/keys.js';
import type { KeyDocument } from '../../store/keys.js';
import type { AccountsContext } from '../accounts-context.js';

/** Adapts the operations of keys to their rpcs. */
export function keyRpc(parts: AccountsContext): ServiceImpl<typeof KeyService> {
  return {
    listKeys: async (request, context) => {
      const { items, ...page } = await listKeys(parts.keys, callerOf(context).accountId, request);
      return { keys: items.map((key) => keyMessage(key)), ...page };
    },
    createKey: async (request, context) => {
      const { key, text } = await createKey(parts, callerOf(context).accountId, {
        ...request,
        scope: scopeWord(request.scope),
      });
      return { key: keyMessage(key, text) };
    },
    updateKey: async (request, context) => ({
      key: keyMessage(await updateKey(parts, callerOf(context).accountId, request)),
    }),
    revokeKey: async ({ id }, context) => {
      await revokeKey(parts, id, callerOf(context).accountId);
      return {};
    },
  };
}

export function scopeWord(scope: KeyScope): KeyDocument['scope'] {
  return wordOf(KeyScopeSchema, scope) as KeyDocument['scope'];
}
