import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import { hasRole } from '../../../kit/rpc/caller.js';
import { callerOf } from '../../../kit/rpc/context.js';
import { wordOf } from '../../../kit/text/wire-words.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { MemberRole } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import { type KeyScope, KeyScopeSchema } from '../../../proto/gen/cloudphone/access/v1/key_pb.js';
import type { KeyService } from '../../../proto/gen/cloudphone/access/v1/key_service_pb.js';
import { assertOwnKey, revokeKey, updateKey } from '../keys/change-key.js';
import { createKey } from '../keys/create-key.js';
import { assertSees } from '../keys/key-choices.js';
import { keyMessage, listKeys } from '../keys/keys.js';
import type { KeyDocument } from '../../store/keys.js';
import type { AccountsContext } from '../accounts-context.js';

/** Adapts the operations of keys to their rpcs. Members below admin see and change only the keys that they made. */
export function keyRpc(parts: AccountsContext): ServiceImpl<typeof KeyService> {
  return {
    listKeys: async (request, context) => {
      const { accountId, ...caller } = callerOf(context);
      const { items, ...page } = await listKeys(parts.keys, accountId, ownerOfKeys(caller), request);
      return { keys: items.map((key) => keyMessage(key)), ...page };
    },
    createKey: async (request, context) => {
      const caller = callerOf(context);
      await assertSees(parts.devices, caller, request.devices);
      const { key, text } = await createKey(parts, caller.accountId, caller.memberId, {
        ...request,
        scope: scopeWord(request.scope),
        expiresAt: request.expiresAt && timestampDate(request.expiresAt),
      });
      return { key: keyMessage(key, text) };
    },
    updateKey: async (request, context) => {
      const caller = callerOf(context);
      const { accountId } = caller;
      await assertOwnKey(parts.keys, accountId, request.id, ownerOfKeys(caller));
      await assertSees(parts.devices, caller, request.devices);
      return { key: keyMessage(await updateKey(parts, accountId, request)) };
    },
    revokeKey: async ({ id }, context) => {
      const { accountId, ...caller } = callerOf(context);
      await assertOwnKey(parts.keys, accountId, id, ownerOfKeys(caller));
      await revokeKey(parts, id, accountId);
      return {};
    },
  };
}

/** Returns the member whose keys alone the caller has; undefined: all keys of the account. */
function ownerOfKeys({ role, memberId }: Pick<Caller, 'role' | 'memberId'>): string | undefined {
  return hasRole({ role }, MemberRole.ADMIN) ? undefined : (memberId ?? '');
}

export function scopeWord(scope: KeyScope): KeyDocument['scope'] {
  return wordOf(KeyScopeSchema, scope) as KeyDocument['scope'];
}
