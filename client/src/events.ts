import { CloudPhoneError, errorOf } from './errors.js';
import type { Job } from './jobs.js';
import type { components } from './openapi.js';
import { platformWatchdog } from './platform.js';
import { isPassing, type Sending, unreachable } from './send.js';
import { type Block, readBlocks } from './server-sent-events.js';

type Schemas = components['schemas'];

interface Happened {
  /** Its place in the events: as `lastEventId`, the stream goes on behind it. */
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
  | (Happened & { event: 'device.state'; state: Schemas['DeviceState'] });

export interface EventOptions {
  /** Only these. Absent: all. */
  types?: readonly CloudPhoneEvent['event'][];
  /** Only events of this device. */
  device?: string;
  /** `id` of the event after which to go on. Absent: the present. */
  lastEventId?: string;
  signal?: AbortSignal;
}

/** Opens streams of events. */
export interface Streaming extends Pick<Sending, 'fetch' | 'wait' | 'random' | 'attemptsMax'> {
  /** Of GET /v1/events. */
  url: string;
  headers: Record<string, string>;
}

/** A stream without a byte for so long is lost: the service sends a comment every 15 seconds. */
const IDLE_MS = 45_000;

/** Wait before a stream is opened again, unless the service sends another; it doubles with each failure. */
const RETRY_MS = 3_000;
const RETRY_MAX_MS = 30_000;

/**
 * Yields events as they happen, without end, each once and in their order, also over disconnects. Throws when the service refuses. Where
 * nothing could be reached at first, it throws after the attempts of a request; a stream that was open is opened again for as long as it takes.
 */
export async function* watchEvents(streaming: Streaming, options: EventOptions): AsyncGenerator<CloudPhoneEvent, void> {
  const { signal } = options;
  let { lastEventId } = options;
  let retryMs = RETRY_MS;
  let wasOpen = false;
  for (let failures = 1; ; failures++) {
    let error: CloudPhoneError | undefined;
    try {
      for await (const block of openStream(streaming, options, lastEventId)) {
        wasOpen = true;
        failures = 0;
        if (block.id !== undefined) lastEventId = block.id;
        if (block.retryMs !== undefined) retryMs = Math.min(block.retryMs, RETRY_MAX_MS);
        const event = eventOf(block, lastEventId);
        if (event !== undefined) yield event;
      }
    } catch (cause) {
      if (signal?.aborted === true) throw cause;
      error = cause instanceof CloudPhoneError ? cause : unreachable(streaming.url, cause);
    }
    if (error !== undefined && !mayOpenAgain(error, wasOpen || failures < streaming.attemptsMax)) throw error;
    const backoffMs = Math.min(retryMs * 2 ** Math.min(Math.max(failures, 1) - 1, 4), RETRY_MAX_MS);
    const waitMs = error?.retryAfterS === undefined ? backoffMs : error.retryAfterS * 1_000;
    // Of many readers of a service that was restarted, not all come back at the same time.
    await streaming.wait(waitMs + (streaming.random() * retryMs) / 2, signal);
  }
}

function mayOpenAgain(error: CloudPhoneError, hasAttempts: boolean): boolean {
  if (error.status === 429) return hasAttempts && error.retryAfterS !== undefined;
  return hasAttempts && isPassing(error);
}

async function* openStream(
  { fetch, url, headers }: Streaming,
  { types = [], device, signal }: EventOptions,
  lastEventId: string | undefined,
): AsyncGenerator<Block, void> {
  const query = new URLSearchParams({
    ...(types.length > 0 && { types: types.join(',') }),
    ...(device !== undefined && { device }),
  });
  const idle = new AbortController();
  const watchdog = platformWatchdog(IDLE_MS, () => idle.abort(new Error(`nothing came for ${IDLE_MS} ms`)));
  try {
    const request = new Request(query.size === 0 ? url : `${url}?${query.toString()}`, {
      headers: {
        ...headers,
        accept: 'text/event-stream',
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
    });
    const response = await fetch(request, { signal: AbortSignal.any([idle.signal, ...(signal ? [signal] : [])]) });
    if (!response.ok || response.body === null) throw await errorOf(response);
    yield* readBlocks(response.body, () => watchdog.feed());
  } finally {
    watchdog.stop();
    idle.abort();
  }
}

/** The event of a block, if it is one. `stream.closed` is the end of a stream: the response to the next request shows whether the key is good. */
function eventOf({ event, data }: Block, id = ''): CloudPhoneEvent | undefined {
  if (data === undefined || event === 'stream.closed') return undefined;
  try {
    return { ...(JSON.parse(data) as CloudPhoneEvent), id };
  } catch (cause) {
    const message = `An event is not JSON: ${data.slice(0, 200)}`;
    throw new CloudPhoneError(message, { kind: 'unexpected', status: 200 }, { cause });
  }
}
