import type Docker from 'dockerode';
import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import { LABELS } from './container-options.js';

/** Most characters of a line, after which the connection is closed. The line of an event has a few hundred. */
const MAX_LINE_BYTES = 256 * 1024;
/** Pause before a stream that ended is opened again, ms; doubled up to the second number. */
const RETRY_FIRST_MS = 500;
const MAX_RETRY_MS = 10_000;

export interface EngineEventsOptions {
  docker: Docker;
  owner: string;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  /** Called when a phone's container has started or ended. `phoneId` undefined: events may be missing, so any container may have. */
  onChange: (phoneId: string | undefined, reason: string) => void;
}

/** Follows the engine's events until the signal aborts, also over restarts of the engine. */
export async function followEvents({
  docker,
  owner,
  clock,
  log,
  signal,
  onChange,
}: EngineEventsOptions): Promise<void> {
  let retryMs = RETRY_FIRST_MS;
  const filters = { type: ['container'], label: [`${LABELS.owner}=${owner}`] };
  for (;;) {
    try {
      const events = await docker.getEvents({ filters, abortSignal: signal } as Docker.GetEventsOptions);
      if (retryMs > RETRY_FIRST_MS) onChange(undefined, 'the container engine is back');
      retryMs = RETRY_FIRST_MS;
      await readEvents(events, onChange);
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ err: error }, 'the events of the container engine cannot be followed; trying again');
    }
    await clock.sleep(retryMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    onChange(undefined, 'events of the container engine may have been missed');
  }
}

/** Reads events until the stream ends. An error in the loop closes the stream. */
async function readEvents(events: NodeJS.ReadableStream, onChange: EngineEventsOptions['onChange']): Promise<void> {
  let text = '';
  for await (const chunk of events.setEncoding('utf8')) {
    const lines = (text + String(chunk)).split('\n');
    text = lines.pop() ?? '';
    if (text.length > MAX_LINE_BYTES) throw new Error('the container engine sent a line without an end');
    for (const line of lines) report(line, onChange);
  }
}

function report(line: string, onChange: EngineEventsOptions['onChange']): void {
  if (line.trim() === '') return;
  const event = JSON.parse(line) as {
    Action?: string;
    status?: string;
    Actor?: { Attributes?: Record<string, string> };
  };
  const phoneId = event.Actor?.Attributes?.[LABELS.phone];
  const action = event.Action ?? event.status ?? '';
  // Every engine reports a start as `start`, and an end as `die` or `died`. Other actions have different names.
  if (phoneId !== undefined && (action === 'die' || action === 'died' || action === 'start')) {
    onChange(phoneId, `its container: ${action}`);
  }
}
