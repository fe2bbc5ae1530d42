import type { Client } from '@connectrpc/connect';
import { ApiError } from '../../kit/errors/api-error.js';
import type { AccessService, Subscriber } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { SUBSCRIBERS_TIMEOUT_MS } from '../limits.js';

/**
 * Returns a key's webhook as it is now. Throws bad_request when the key has no webhook, or was not made by the member `memberId`. Without
 * `memberId` it may be any member's.
 */
export async function findSubscriber(
  access: Client<typeof AccessService>,
  { accountId, keyId, memberId }: { accountId: string; keyId: string; memberId?: string | undefined },
): Promise<Subscriber> {
  const { subscribers } = await access.listSubscribers({ accountId, keyId }, { timeoutMs: SUBSCRIBERS_TIMEOUT_MS });
  const [subscriber] = subscribers;
  if (subscriber === undefined || (memberId !== undefined && subscriber.memberId !== memberId)) {
    throw new ApiError(
      'bad_request',
      `The key "${keyId}" has no webhook URL, or is not one of GET /v1/keys. Set webhook_url of the key first.`,
    );
  }
  return subscriber;
}
