import type { ServiceImpl } from '@connectrpc/connect';
import { callerOf } from '../../kit/rpc/context.js';
import { wordOf } from '../../kit/wire-words.js';
import { type KeyScope, KeyScopeSchema } from '../../proto/gen/cloudphone/access/v1/key_pb.js';
import type { KeyService } from '../../proto/gen/cloudphone/access/v1/key_service_pb.js';
import { revokeKey, updateKey } from '../access/change-key.js';
import { createKey, type KeyParts } from '../access/create-key.js';
import { keyMessage } from '../access/key-message.js';
import { listKeys } from '../access/list-keys.js';
import type { KeyDocument } from '../store/keys.js';

/** Unpack, call, pack. */
export function keyRpc(parts: KeyParts): ServiceImpl<typeof KeyService> {
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
