import type { Client } from '@connectrpc/connect';
import type { Log } from '../../kit/log.js';
import type { EventService } from '../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { PUBLISH_TIMEOUT_MS } from '../limits.js';
import type { DeviceStore } from '../store/devices.js';
import { healthChangedPayload } from './event-payload.js';
import { publishEach } from './publish-each.js';

export interface HealthEventParts {
  /** Absent: there is no webhook service, and the events are dropped. */
  events: Client<typeof EventService> | undefined;
  devices: DeviceStore;
  log: Log;
}

/**
 * Publishes the events of problems that have begun or ended, those of a device in their order. The update that changes a device's problem
 * writes the event into the device's document, where it stays until the webhook service has it; publishing it again is harmless, as its
 * id is kept. So every host publishes the events that it finds, also of hosts that are gone.
 */
export async function publishHealthEvents(parts: HealthEventParts, signal: AbortSignal): Promise<void> {
  const { events, devices, log } = parts;
  const pending = (await devices.findWithHealthEvents()).flatMap((device) =>
    (device.healthEvents ?? []).map((event) => ({ device, event })),
  );
  await publishEach(
    pending,
    {
      publish: async ({ device, event: { id, type, at, problem } }) => {
        const { accountId, name, createdBy: deviceCreatedBy } = device;
        const payload = healthChangedPayload(type, name, problem, at);
        const event = { id, type, accountId, device: name, deviceCreatedBy, payload };
        await events?.publish({ event }, { timeoutMs: PUBLISH_TIMEOUT_MS, signal });
      },
      note: ({ device, event }) => devices.healthEventPublished(device._id, event.id),
    },
    { signal, log },
  );
}
