import type { ListSubscribersRequest } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { AccountStore } from '../store/accounts.js';
import type { KeyStore } from '../store/keys.js';

/** The keys that receive a device's events: those that have a webhook and may see it; none of a disabled account. */
export async function listSubscribers(
  { accounts, keys }: { accounts: AccountStore; keys: KeyStore },
  request: ListSubscribersRequest,
) {
  const withWebhook = await keys.findWithWebhook(request.accountId);
  // Most accounts have no webhook, and need no second query.
  if (withWebhook.length === 0 || !(await accounts.findActive([request.accountId])).has(request.accountId)) return [];
  return withWebhook
    .filter(({ _id, devices }) =>
      request.keyId === undefined
        ? devices.includes('*') || devices.includes(request.device) || _id === request.deviceCreatedBy
        : _id === request.keyId,
    )
    .map(({ _id, webhookUrl = '', digest }) => ({ keyId: _id, url: webhookUrl, secret: digest }));
}
