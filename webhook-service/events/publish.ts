import type { Client } from '@connectrpc/connect';
import type { Clock } from '../../kit/clock.js';
import type { Trace } from '../../kit/trace.js';
import { ApiError } from '../../kit/errors.js';
import type { AccessService } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Event } from '../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { newDelivery } from '../deliveries/new-delivery.js';
import { SUBSCRIBERS_TIMEOUT_MS } from '../limits.js';
import type { EventLog } from './event-log.js';
import type { Courier } from '../queue/courier.js';

/** Goes into a header as it is. */
const EVENT_TYPE = /^[a-z]+(\.[a-z_]+)*$/;

export interface PublishParts {
  access: Client<typeof AccessService>;
  courier: Courier;
  eventLog: EventLog;
  clock: Clock;
}

/**
 * Takes an event into its account's log, and sends it to each key that has a webhook and may see the device. Durable when it returns. Publishing an event
 * again adds nothing for keys that have a delivery of it; a crash in the middle is mended by the repeat. Returns how many
 * deliveries there are.
 */
export async function publish(
  { access, courier, eventLog, clock }: PublishParts,
  event: Event,
  trace: Trace,
): Promise<number> {
  const { id, type, accountId, device, deviceCreatedBy, payload } = event;
  if (!EVENT_TYPE.test(type)) {
    throw new ApiError('bad_request', `event.type: ${JSON.stringify(type)} is not a word such as job.finished`);
  }
  const logged = eventLog.add(event);
  logged.catch(() => undefined); // awaited below, whatever happens until then
  const { subscribers } = await access.listSubscribers(
    { accountId, device, deviceCreatedBy },
    { timeoutMs: SUBSCRIBERS_TIMEOUT_MS },
  );
  const when = { nowMs: clock.now(), trace };
  await courier.post(
    subscribers.map((subscriber) => newDelivery({ id, type, accountId, device, payload }, subscriber, when)),
  );
  await logged;
  return subscribers.length;
}
