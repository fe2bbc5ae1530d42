import type { ListSubscribersRequest } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { KeyStore } from '../store/keys.js';

/** The keys that receive a device's events: those that have a webhook and may see it. */
export async function listSubscribers(keys: KeyStore, request: ListSubscribersRequest) {
  const withWebhook = await keys.findWithWebhook(request.accountId);
  return withWebhook
    .filter(({ _id, devices }) =>
      request.keyId === undefined
        ? devices.includes('*') || devices.includes(request.device) || _id === request.deviceCreatedBy
        : _id === request.keyId,
    )
    .map(({ _id, webhookUrl = '', digest }) => ({ keyId: _id, url: webhookUrl, secret: digest }));
}
