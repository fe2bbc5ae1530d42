import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { enumOf } from '../../kit/text/wire-words.js';
import {
  type Delivery,
  DeliverySchema,
  DeliveryStateSchema,
} from '../../proto/gen/cloudphone/webhook/v1/delivery_pb.js';
import { shownUrl } from '../sending/target.js';
import type { DeliveryDocument } from '../store/delivery-document.js';

/** A delivery as its owner sees it in a list. */
export function deliveryMessage(delivery: DeliveryDocument): Delivery {
  const { _id: id, event, keyId, device, state, attempts, createdAt, dueAt } = delivery;
  return create(DeliverySchema, {
    id,
    event,
    keyId,
    device,
    url: shownUrl(delivery.url),
    state: enumOf(DeliveryStateSchema, state),
    attempts: attempts.map(({ at, status, error, ms }) => ({ at: timestampFromDate(at), status, error, ms })),
    createdAt: timestampFromDate(createdAt),
    nextAttemptAt: dueAt && timestampFromDate(dueAt),
  });
}
