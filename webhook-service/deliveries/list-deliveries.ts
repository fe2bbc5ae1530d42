import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { ApiError } from '../../kit/errors/api-error.js';
import { firstId } from '../../kit/text/ids.js';
import { readPage } from '../../kit/call/page.js';
import { wordOf } from '../../kit/text/wire-words.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { type Delivery, DeliveryStateSchema } from '../../proto/gen/cloudphone/webhook/v1/delivery_pb.js';
import type { ListDeliveriesRequest } from '../../proto/gen/cloudphone/webhook/v1/webhook_service_pb.js';
import type { DeliveryStore } from '../store/deliveries.js';
import type { DeliveryStateWord } from '../store/delivery-document.js';
import { deliveryMessage } from './delivery-message.js';
import { ownerOf } from './owner.js';

/** The latest time that an id can hold, ms. Later times are cut to it. */
const LAST_MS = 2 ** 45 - 1;

/** Deliveries that the caller may see, newest first. */
export async function listDeliveries(
  deliveries: DeliveryStore,
  caller: Caller,
  request: ListDeliveriesRequest,
): Promise<{ items: Delivery[]; nextCursor?: string }> {
  const owner = ownerOf(caller);
  const { keyId, from, to } = request;
  if (owner.keyId !== undefined && keyId !== undefined && keyId !== owner.keyId) {
    throw new ApiError(
      'forbidden',
      'A key sees the deliveries of its own webhook only. Leave key_id out, or sign in to the control panel.',
    );
  }
  const query = { owner: { ...owner, ...(keyId !== undefined && { keyId }) }, fromId: from && idOf(from) };
  const endId = to && idOf(to);
  const state =
    request.state === undefined ? undefined : (wordOf(DeliveryStateSchema, request.state) as DeliveryStateWord);
  const { items, ...page } = await readPage(
    request,
    (limit, beforeId) => deliveries.list({ ...query, state, beforeId: least(beforeId, endId), limit }),
    ({ _id }) => _id,
  );
  return { items: items.map(deliveryMessage), ...page };
}

/** Returns the first possible id of a time. Each id carries the millisecond of `created_at`, so ids are in the order of time. */
function idOf({ seconds, nanos }: Timestamp): string {
  const ms = Number(seconds) * 1000 + Math.ceil(nanos / 1_000_000);
  return firstId('dlv', Math.min(Math.max(ms, 0), LAST_MS));
}

function least(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || (other !== undefined && other < one) ? other : one;
}
