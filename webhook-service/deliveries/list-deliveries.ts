import { readPage } from '../../kit/page.js';
import { wordOf } from '../../kit/wire-words.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { type Delivery, DeliveryStateSchema } from '../../proto/gen/cloudphone/webhook/v1/delivery_pb.js';
import type { ListDeliveriesRequest } from '../../proto/gen/cloudphone/webhook/v1/webhook_service_pb.js';
import type { DeliveryStore } from '../store/deliveries.js';
import type { DeliveryStateWord } from '../store/delivery-document.js';
import { deliveryMessage } from './delivery-message.js';
import { ownerOf } from './owner.js';

/** Deliveries that the caller may see, newest first. */
export async function listDeliveries(
  deliveries: DeliveryStore,
  caller: Caller,
  request: ListDeliveriesRequest,
): Promise<{ items: Delivery[]; nextCursor?: string }> {
  const owner = ownerOf(caller);
  const state =
    request.state === undefined ? undefined : (wordOf(DeliveryStateSchema, request.state) as DeliveryStateWord);
  const { items, ...page } = await readPage(
    request,
    (limit, beforeId) => deliveries.list({ owner, state, beforeId, limit }),
    ({ _id }) => _id,
  );
  return { items: items.map(deliveryMessage), ...page };
}
