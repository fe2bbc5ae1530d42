import type { Client } from '@connectrpc/connect';
import type { Clock } from '../../kit/async/clock.js';
import { ApiError } from '../../kit/errors/api-error.js';
import type { AccessService, Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Delivery } from '../../proto/gen/cloudphone/webhook/v1/delivery_pb.js';
import type { DeliveryWorker } from '../queue/delivery-worker.js';
import { MAX_ATTEMPTS } from '../limits.js';
import { sign } from '../sending/sign.js';
import type { DeliveryStore } from '../store/deliveries.js';
import { deliveryMessage } from './delivery-message.js';
import { findDelivery } from './get-delivery.js';
import { findSubscriber } from './find-subscriber.js';
import { ownerOf } from './owner.js';

/**
 * Sends a finished delivery once more, now, with the same id and body, to the present URL of the key. So a customer can correct a wrong
 * URL, and then send the missed events.
 */
export async function redeliverDelivery(
  parts: {
    deliveries: DeliveryStore;
    deliveryWorker: DeliveryWorker;
    access: Client<typeof AccessService>;
    clock: Clock;
  },
  caller: Caller,
  id: string,
): Promise<Delivery> {
  const { deliveries, deliveryWorker, access, clock } = parts;
  const delivery = await findDelivery(deliveries, caller, id);
  if (delivery.made >= MAX_ATTEMPTS) {
    throw new ApiError(
      'bad_request',
      `The delivery "${id}" was sent ${MAX_ATTEMPTS} times, which is the most. GET /v1/webhooks/deliveries/${id} has its payload.`,
    );
  }
  const { url, secret } = await findSubscriber(access, { accountId: delivery.accountId, keyId: delivery.keyId });
  const signature = sign(delivery.body, secret);
  const reopened = await deliveries.reopen(ownerOf(caller), id, { url, signature, now: new Date(clock.now()) });
  if (reopened === undefined) {
    throw new ApiError(
      'busy',
      `The delivery "${id}" has an attempt to come. Wait until its state is delivered or failed.`,
    );
  }
  deliveryWorker.notice(reopened);
  return deliveryMessage(reopened);
}
