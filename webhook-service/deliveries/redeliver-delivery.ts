import type { Client } from '@connectrpc/connect';
import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import type { AccessService, Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Delivery } from '../../proto/gen/cloudphone/webhook/v1/delivery_pb.js';
import type { Courier } from '../queue/courier.js';
import { sign } from '../sending/sign.js';
import type { DeliveryStore } from '../store/deliveries.js';
import { deliveryMessage } from './delivery-message.js';
import { findSubscriber } from './find-subscriber.js';
import { ownerOf } from './owner.js';

/**
 * Sends a finished delivery once more, now, with the same id and body, to the URL that the key has today, so that events
 * missed by a wrong URL can be sent after it was corrected.
 */
export async function redeliverDelivery(
  parts: { deliveries: DeliveryStore; courier: Courier; access: Client<typeof AccessService>; clock: Clock },
  caller: Caller,
  id: string,
): Promise<Delivery> {
  const { deliveries, courier, access, clock } = parts;
  const owner = ownerOf(caller);
  const delivery = await deliveries.find(owner, id);
  if (delivery === null) {
    throw new ApiError(
      'not_found',
      `There is no delivery "${id}". GET /v1/webhooks/deliveries lists those of the last 30 days.`,
    );
  }
  const { url, secret } = await findSubscriber(access, delivery);
  const signature = sign(delivery.body, secret);
  const reopened = await deliveries.reopen(owner, id, { url, signature, now: new Date(clock.now()) });
  if (reopened === undefined) {
    throw new ApiError(
      'busy',
      `The delivery "${id}" has an attempt to come. Wait until its state is delivered or failed.`,
    );
  }
  courier.notice(reopened);
  return deliveryMessage(reopened);
}
