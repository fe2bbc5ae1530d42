import type { Client } from '@connectrpc/connect';
import type { Clock } from '../../kit/async/clock.js';
import type { Trace } from '../../kit/log/trace.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { createId } from '../../kit/text/ids.js';
import type { AccessService, Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { Delivery } from '../../proto/gen/cloudphone/webhook/v1/delivery_pb.js';
import type { DeliveryWorker } from '../queue/delivery-worker.js';
import { deliveryMessage } from './delivery-message.js';
import { findSubscriber } from './find-subscriber.js';
import { newDelivery } from './new-delivery.js';
import { ownerOf } from './owner.js';

/** Sends an event `test` to a key's webhook, in every way like a real one. */
export async function testWebhook(
  {
    deliveryWorker,
    access,
    clock,
  }: { deliveryWorker: DeliveryWorker; access: Client<typeof AccessService>; clock: Clock },
  caller: Caller,
  { keyId, trace }: { keyId: string | undefined; trace: Trace },
): Promise<Delivery> {
  const { accountId } = caller;
  const { memberId } = ownerOf(caller);
  const subscriber = await findSubscriber(access, { accountId, keyId: testedKey(caller, keyId), memberId });
  const nowMs = clock.now();
  const event = {
    id: createId('test', nowMs),
    type: 'test',
    accountId,
    device: '',
    payload: Buffer.from(JSON.stringify({ event: 'test', ts: new Date(nowMs).toISOString() })),
  };
  const delivery = newDelivery(event, subscriber, { nowMs, trace });
  await deliveryWorker.post([delivery]);
  return deliveryMessage(delivery);
}

function testedKey(caller: Caller, keyId: string | undefined): string {
  if (caller.scope === Scope.PERSON) {
    if (keyId === undefined) throw new ApiError('bad_request', 'key_id is missing: name the key whose webhook to test');
    return keyId;
  }
  if (keyId !== undefined && keyId !== caller.keyId) {
    throw new ApiError(
      'forbidden',
      'A key can test its own webhook only. Leave key_id out, or sign in to the control panel.',
    );
  }
  return caller.keyId;
}
