import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { readPage } from '../../../kit/call/page.js';
import { maySee } from '../../../kit/rpc/may-see.js';
import { enumOf } from '../../../kit/text/wire-words.js';
import type { ListSubscribersRequest } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { type ApiKey, ApiKeySchema, KeyScopeSchema } from '../../../proto/gen/cloudphone/access/v1/key_pb.js';
import type { ListKeysRequest } from '../../../proto/gen/cloudphone/access/v1/key_service_pb.js';
import { labelSelector } from '../../../kit/text/label-selector.js';
import { labelsByKey } from '../../record/labels.js';
import type { KeyDocument, KeyStore } from '../../store/keys.js';
import { isExpired } from '../callers/key-end.js';
import { callersOfKeys } from '../callers/callers-of-keys.js';
import type { AccountsContext } from '../accounts-context.js';

/** Converts a key to the message that its owner gets. `text` is given only in the response that creates the key. */
export function keyMessage(key: KeyDocument, text?: string): ApiKey {
  return create(ApiKeySchema, {
    id: key._id,
    name: key.name,
    scope: enumOf(KeyScopeSchema, key.scope),
    devices: key.devices,
    webhookUrl: key.webhookUrl,
    createdAt: timestampFromDate(key.createdAt),
    lastUsedAt: key.lastUsedAt && timestampFromDate(key.lastUsedAt),
    prefix: key.prefix,
    key: text,
    labels: labelsByKey(key.labels),
    ...(key.devicesLabel !== undefined && { devicesLabel: labelSelector(key.devicesLabel) }),
    expiresAt: key.expiresAt && timestampFromDate(key.expiresAt),
    allow: key.allow ?? [],
    requestsPerMinute: key.requestsPerMinute,
    lastUsedAddress: key.lastUsedAddress,
    memberId: key.memberId,
  });
}

/** Returns an account's keys that are not revoked, oldest first: all of them, or those with one label. */
export function listKeys(
  keys: KeyStore,
  accountId: string,
  /** Only keys of this member. Undefined: of all. */
  memberId: string | undefined,
  request: Pick<ListKeysRequest, 'limit' | 'cursor' | 'label'>,
): Promise<{ items: KeyDocument[]; nextCursor?: string }> {
  return readPage(
    request,
    (limit, afterId) => keys.list({ accountId, memberId, label: request.label, limit, afterId }),
    ({ _id }) => _id,
  );
}

/**
 * Returns the keys with a webhook that receive a device's events: those that may see the device, and the key that created it. With `keyId`,
 * returns only that key, whatever devices it may see. Returns none for a disabled account.
 */
export async function listSubscribers(context: AccountsContext, request: ListSubscribersRequest) {
  const { accounts, keys } = context;
  const withWebhook = await keys.findWithWebhook(request.accountId);
  // Most accounts have no webhook, and need no second query.
  if (withWebhook.length === 0 || !(await accounts.findActive([request.accountId])).has(request.accountId)) return [];
  const { device: name, deviceCreatedBy: createdBy, deviceLabels: labels, keyId } = request;
  const good = withWebhook.filter((key) => !isExpired(key, context.clock.now()));
  const callers = await callersOfKeys(context, good);
  return good
    .filter(({ _id }) => {
      const caller = callers.get(_id);
      if (caller === undefined) return false;
      return keyId === undefined ? maySee(caller, { name, createdBy, labels }) : _id === keyId;
    })
    .map(({ _id, webhookUrl = '', digest, memberId }) => ({
      ...{ keyId: _id, url: webhookUrl, secret: digest },
      ...(memberId !== undefined && { memberId }),
    }));
}
