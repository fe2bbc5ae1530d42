import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Client } from '@connectrpc/connect';
import type { Clock } from '../../kit/async/clock.js';
import type { Trace } from '../../kit/log/trace.js';
import { ApiError } from '../../kit/errors/api-error.js';
import type { AccessService } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Event } from '../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { newDelivery } from '../deliveries/new-delivery.js';
import { SUBSCRIBERS_TIMEOUT_MS } from '../limits.js';
import type { EventLog } from './event-log.js';
import type { DeliveryWorker } from '../queue/delivery-worker.js';

/** The form of an event's type, which a header of the delivery carries unchanged. */
const EVENT_TYPE = /^[a-z]+(\.[a-z_]+)*$/;

export interface PublishParts {
  access: Client<typeof AccessService>;
  deliveryWorker: DeliveryWorker;
  eventLog: EventLog;
  clock: Clock;
}

/**
 * Adds an event to its account's log, and sends it to each key that has a webhook and may see the device. The event and its deliveries are
 * durable when it returns. Publishing an event again adds nothing for keys that have a delivery of it, so a publisher repeats the call
 * after a crash. Returns the number of deliveries.
 */
export async function publish(
  { access, deliveryWorker, eventLog, clock }: PublishParts,
  event: Event,
  trace: Trace,
): Promise<number> {
  const { id, type, accountId, device, deviceCreatedBy, deviceLabels, onlyCreator, payload } = event;
  if (!EVENT_TYPE.test(type)) {
    throw new ApiError('bad_request', `event.type: ${JSON.stringify(type)} is not a word such as job.finished`);
  }
  const logged = begunAhead(eventLog.add(event));
  const { subscribers } = await access.listSubscribers(
    { accountId, device, deviceCreatedBy, deviceLabels, ...(onlyCreator && { keyId: deviceCreatedBy }) },
    { timeoutMs: SUBSCRIBERS_TIMEOUT_MS },
  );
  const when = { nowMs: clock.now(), trace };
  await deliveryWorker.post(
    subscribers.map((subscriber) => newDelivery({ id, type, accountId, device, payload }, subscriber, when)),
  );
  await logged;
  return subscribers.length;
}
