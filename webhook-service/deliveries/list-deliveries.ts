import { cutPage, pageOf } from '../../kit/page.js';
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
  const { limit, after } = pageOf(request);
  const found = await deliveries.list({
    owner: ownerOf(caller),
    limit: limit + 1,
    ...(after !== undefined && { beforeId: after }),
    ...(request.state !== undefined && { state: wordOf(DeliveryStateSchema, request.state) as DeliveryStateWord }),
  });
  return cutPage(found.map(deliveryMessage), limit, ({ id }) => id);
}
