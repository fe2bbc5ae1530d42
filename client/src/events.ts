import type { Job } from './jobs.js';
import type { components } from './openapi.js';
import type { Block } from './server-sent-events.js';
import { dataOf, followStream, type Streaming } from './streams.js';

type Schemas = components['schemas'];

interface Happened {
  /** The place of the event in the stream. Pass it as `lastEventId` to open a stream that begins after this event. */
  id: string;
  /** When it happened. */
  ts: string;
  /** Name of the device. Empty for a group. */
  phone: string;
}

/** Something that happened to a phone, or to a group. */
export type CloudPhoneEvent =
  | (Happened & { event: 'job.finished'; job: Job })
  | (Happened & { event: 'health.problem' | 'health.resolved'; problem: Schemas['Problem'] })
  | (Happened & { event: 'recording.finished'; recording: Schemas['Recording'] })
  | (Happened & { event: 'lease.begun'; lease: Schemas['Lease'] })
  | (Happened & {
      event: 'lease.ended';
      lease: Schemas['Lease'];
      reason: 'released' | 'expired' | 'ended_by_owner' | 'device_lost';
    })
  | (Happened & { event: 'handover.begun' | 'handover.ended'; handover: Schemas['Handover'] })
  | (Happened & {
      event: 'app.crashed' | 'app.not_responding';
      /** Id of the crash, as in `GET …/crashes`. */
      crash: string;
      package: string;
      at: string;
      process: string;
      reason: string;
    })
  | (Omit<Happened, 'phone'> & { event: 'key.expiring'; /** Its id. */ key: string; name: string; expires_at: string })
  | (Happened & { event: 'device.state'; state: Schemas['DeviceState'] });

export interface EventOptions {
  /** Only events of these types. Absent: all. */
  types?: readonly CloudPhoneEvent['event'][];
  /** Only events of this device. */
  device?: string;
  /** `id` of the event after which to go on. Absent: the stream begins now. */
  lastEventId?: string;
  signal?: AbortSignal;
}

/**
 * Yields events as they happen, without end. Each comes once and in order, also when the connection breaks and the stream is opened again.
 * Throws as followStream does.
 */
export async function* watchEvents(streaming: Streaming, options: EventOptions): AsyncGenerator<CloudPhoneEvent, void> {
  const { types = [], device, signal } = options;
  let { lastEventId } = options;
  const query = new URLSearchParams({
    ...(types.length > 0 && { types: types.join(',') }),
    ...(device !== undefined && { device }),
  });
  const path = query.size === 0 ? '/v1/events' : `/v1/events?${query.toString()}`;
  const next = () => ({ path, ...(lastEventId !== undefined && { headers: { 'last-event-id': lastEventId } }) });
  for await (const block of followStream(streaming, next, signal)) {
    if (block.id !== undefined) lastEventId = block.id;
    const event = eventOf(block, lastEventId);
    if (event !== undefined) yield event;
  }
}

/**
 * Returns the event that a block contains; undefined when it contains none. `stream.closed` only ends the stream: the response to the next
 * request shows whether the key is good.
 */
function eventOf({ event, data }: Block, id = ''): CloudPhoneEvent | undefined {
  if (data === undefined || event === 'stream.closed') return undefined;
  return { ...(dataOf(data) as CloudPhoneEvent), id };
}
