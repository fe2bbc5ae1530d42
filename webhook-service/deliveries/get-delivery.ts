import { ApiError } from '../../kit/errors/api-error.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Delivery } from '../../proto/gen/cloudphone/webhook/v1/delivery_pb.js';
import type { DeliveryStore } from '../store/deliveries.js';
import type { DeliveryDocument } from '../store/delivery-document.js';
import { deliveryMessage } from './delivery-message.js';
import { ownerOf } from './owner.js';

/** Returns a delivery with its body and the responses to each attempt. */
export async function getDelivery(
  deliveries: DeliveryStore,
  caller: Caller,
  id: string,
): Promise<{ delivery: Delivery; payload: string }> {
  const found = await findDelivery(deliveries, caller, id);
  const delivery = deliveryMessage(found);
  const { responses = [] } = found;
  // Attempts that an older release made have no stored response.
  const without = delivery.attempts.length - responses.length;
  const attempts = delivery.attempts.map((attempt, at) => {
    const response = responses[at - without] ?? '';
    return { ...attempt, ...(response !== '' && { response }) };
  });
  return { delivery: { ...delivery, attempts }, payload: found.body.toString('utf8') };
}

/** Throws not_found for a delivery that the caller cannot see. */
export async function findDelivery(deliveries: DeliveryStore, caller: Caller, id: string): Promise<DeliveryDocument> {
  const delivery = await deliveries.find(ownerOf(caller), id);
  if (delivery !== null) return delivery;
  throw new ApiError(
    'not_found',
    `There is no delivery "${id}". GET /v1/webhooks/deliveries lists those of the last 30 days.`,
  );
}
