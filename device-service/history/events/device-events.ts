import { PUBLISH_TIMEOUT_MS, RECORDED_AT_ONCE } from '../limits.js';
import type { DeviceDocument, DeviceEvent } from '../../store/device-document.js';
import {
  handoverChangedPayload,
  healthChangedPayload,
  leaseChangedPayload,
  stateChangedPayload,
} from './event-payload.js';
import { type NotifyParts, notifyProblem } from '../../accounts/mail-flows/notify-problem.js';
import { isAway, publishEach } from './publish-each.js';
import type { HistoryContext } from '../history-context.js';

type EventSources = Pick<HistoryContext, 'events' | 'devices' | 'keys' | 'log'> & NotifyParts;

/** How many devices are read at a time, and have their events published together. */
const DEVICES_AT_ONCE = 200;

interface OfDevice {
  device: DeviceDocument;
  event: DeviceEvent;
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

/**
 * An event that has receivers is published alone. The others, which are for streams only, are many, and many are recorded in one call: new
 * states, and all events of accounts without a webhook. A webhook that is set meanwhile is of a later time than these events.
 */
async function publishOf(context: EventSources, found: readonly DeviceDocument[], signal: AbortSignal): Promise<void> {
  const { keys, log } = context;
  const all = found.flatMap((device) => (device.deviceEvents ?? []).map((event) => ({ device, event })));
  const noted = all.filter(({ event }) => event.type !== 'device.state');
  const accounts = new Set(noted.map(({ device }) => device.accountId));
  const received = accounts.size === 0 ? accounts : await keys.findAccountsWithWebhook([...accounts]);
  const hasReceivers = ({ device, event }: OfDevice): boolean =>
    event.type !== 'device.state' && received.has(device.accountId);
  await publishEach(
    all.filter(hasReceivers),
    { publish: (one) => publishOne(context, one, signal), note: (one) => forget(context, [one]) },
    { signal, log },
  );
  await recordAll(
    context,
    all.filter((one) => !hasReceivers(one)),
    signal,
  );
}

/** Records events many at a time. The events of a call that is refused are recorded one by one, so that only the bad one stays. */
async function recordAll(context: EventSources, events: readonly OfDevice[], signal: AbortSignal): Promise<void> {
  const { log } = context;
  const note = (some: readonly OfDevice[]): Promise<void> => forget(context, some);
  const groups: OfDevice[][] = [];
  for (let from = 0; from < events.length; from += RECORDED_AT_ONCE)
    groups.push(events.slice(from, from + RECORDED_AT_ONCE));
  const refused: OfDevice[] = [];
  const publish = async (some: readonly OfDevice[]): Promise<void> => {
    try {
      await record(context, some, signal);
    } catch (error) {
      if (!isAway(error)) refused.push(...some);
      throw error;
    }
  };
  await publishEach(groups, { publish, note }, { signal, log });
  const single = refused.map((one) => [one]);
  await publishEach(single, { publish: (some) => record(context, some, signal), note }, { signal, log });
}

async function publishOne(context: EventSources, one: OfDevice, signal: AbortSignal): Promise<void> {
  await notify(context, one);
  await context.events?.publish({ event: messageOf(one) }, { timeoutMs: PUBLISH_TIMEOUT_MS, signal });
}

async function record(context: EventSources, some: readonly OfDevice[], signal: AbortSignal): Promise<void> {
  for (const one of some) await notify(context, one);
  await context.events?.record({ events: some.map(messageOf) }, { timeoutMs: PUBLISH_TIMEOUT_MS, signal });
}

async function notify(context: EventSources, { device, event }: OfDevice): Promise<void> {
  if ('problem' in event) await notifyProblem(context, device, event);
}

async function forget({ devices }: EventSources, published: readonly OfDevice[]): Promise<void> {
  const ofPhones = new Map<string, string[]>();
  for (const { device, event } of published) ofPhones.set(device._id, [...(ofPhones.get(device._id) ?? []), event.id]);
  await devices.deviceEventsPublished([...ofPhones].map(([phoneId, eventIds]) => ({ phoneId, eventIds })));
}

function messageOf({ device, event }: OfDevice) {
  const { accountId, name, createdBy, labels = [] } = device;
  const place = { accountId, device: name, deviceCreatedBy: createdBy, deviceLabels: labels };
  return { id: event.id, type: event.type, ...place, payload: payloadOf(name, event) };
}

function payloadOf(phone: string, event: DeviceEvent): Buffer {
  if ('lease' in event) return leaseChangedPayload(phone, event);
  if ('handover' in event) return handoverChangedPayload(phone, event);
  if ('problem' in event) return healthChangedPayload(event.type, phone, event.problem, event.at);
  return stateChangedPayload(phone, event.state, event.at);
}
