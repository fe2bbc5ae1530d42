import { PUBLISH_TIMEOUT_MS, RECORDED_AT_ONCE } from '../limits.js';
import type { DeviceDocument, DeviceEvent, StateEvent } from '../../store/device-document.js';
import {
  handoverChangedPayload,
  healthChangedPayload,
  leaseChangedPayload,
  stateChangedPayload,
} from './event-payload.js';
import { type NotifyParts, notifyProblem } from '../../accounts/mail-flows/notify-problem.js';
import { publishEach } from './publish-each.js';
import type { HistoryContext } from '../history-context.js';

type EventSources = Pick<HistoryContext, 'events' | 'devices' | 'log'> & NotifyParts;

/** How many devices are read at a time, and have their events published together. */
const DEVICES_AT_ONCE = 200;

/** An event that is for webhooks too. */
type WebhookEvent = Exclude<DeviceEvent, StateEvent>;

interface OfDevice<E> {
  device: DeviceDocument;
  event: E;
}

/**
 * Publishes the events of problems, leases and hand-overs that have begun or ended, and of new states. Events of one device and type keep their order. The
 * update that changes a device writes the event into the device's document, where it stays until the webhook service has it. Publishing
 * it again is harmless, as its id stays the same. So every host publishes the events that it finds, also those of hosts that are gone.
 * Devices are read some at a time; while the webhook service is away, only the first ones are read.
 */
export async function publishDeviceEvents(context: EventSources, signal: AbortSignal): Promise<void> {
  let batch: DeviceDocument[] = [];
  for await (const device of context.devices.withDeviceEvents(DEVICES_AT_ONCE)) {
    if (batch.push(device) < DEVICES_AT_ONCE) continue;
    await publishOf(context, batch, signal);
    batch = [];
  }
  await publishOf(context, batch, signal);
}

async function publishOf(context: EventSources, found: readonly DeviceDocument[], signal: AbortSignal): Promise<void> {
  const forWebhooks: OfDevice<WebhookEvent>[] = [];
  const states: OfDevice<StateEvent>[] = [];
  for (const device of found) {
    for (const event of device.deviceEvents ?? []) {
      if (event.type === 'device.state') states.push({ device, event });
      else forWebhooks.push({ device, event });
    }
  }
  // An event for webhooks is published alone. Events of states are far more, and cause no webhooks, so many are recorded in one call.
  await publishForWebhooks(context, forWebhooks, signal);
  const groups: OfDevice<StateEvent>[][] = [];
  for (let from = 0; from < states.length; from += RECORDED_AT_ONCE)
    groups.push(states.slice(from, from + RECORDED_AT_ONCE));
  const record = (some: readonly OfDevice<StateEvent>[]): Promise<void> => recordStates(context, some, signal);
  await publishEach(
    groups,
    { publish: record, note: (some) => noteStates(context, some) },
    { signal, log: context.log },
  );
}

async function publishForWebhooks(
  context: EventSources,
  pending: readonly OfDevice<WebhookEvent>[],
  signal: AbortSignal,
): Promise<void> {
  const { events, devices, log } = context;
  await publishEach(
    pending,
    {
      publish: async ({ device, event: changed }) => {
        if ('problem' in changed) await notifyProblem(context, device, changed);
        const { id, type } = changed;
        const payload = payloadOf(device.name, changed);
        const event = { id, type, ...placeOf(device), payload };
        await events?.publish({ event }, { timeoutMs: PUBLISH_TIMEOUT_MS, signal });
      },
      note: ({ device, event }) => devices.deviceEventsPublished([{ phoneId: device._id, eventIds: [event.id] }]),
    },
    { signal, log },
  );
}

function payloadOf(phone: string, changed: WebhookEvent): Buffer {
  if ('lease' in changed) return leaseChangedPayload(phone, changed);
  if ('handover' in changed) return handoverChangedPayload(phone, changed);
  return healthChangedPayload(changed.type, phone, changed.problem, changed.at);
}

async function recordStates(
  { events }: EventSources,
  pending: readonly OfDevice<StateEvent>[],
  signal: AbortSignal,
): Promise<void> {
  const all = pending.map(({ device, event: { id, type, at, state } }) => ({
    ...{ id, type, ...placeOf(device) },
    payload: stateChangedPayload(device.name, state, at),
  }));
  await events?.record({ events: all }, { timeoutMs: PUBLISH_TIMEOUT_MS, signal });
}

async function noteStates({ devices }: EventSources, pending: readonly OfDevice<StateEvent>[]): Promise<void> {
  const ofPhones = new Map<string, string[]>();
  for (const { device, event } of pending) ofPhones.set(device._id, [...(ofPhones.get(device._id) ?? []), event.id]);
  await devices.deviceEventsPublished([...ofPhones].map(([phoneId, eventIds]) => ({ phoneId, eventIds })));
}

function placeOf({ accountId, name, createdBy, labels = [] }: DeviceDocument) {
  return { accountId, device: name, deviceCreatedBy: createdBy, deviceLabels: labels };
}
