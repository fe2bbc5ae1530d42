import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../kit/async/clock.js';
import { within } from '../../kit/async/within.js';
import { randomHex } from '../../kit/text/ids.js';
import type { WebhookLimits } from '../limits.js';
import type { AttemptRecord, DeliveryDocument } from '../store/delivery-document.js';
import { errorWord } from './error-word.js';
import { ResponseText } from './response-text.js';
import { targetOf } from './target.js';

export interface SendParts {
  /** Connects through the address guard and follows no redirects. */
  dispatcher: Dispatcher;
  clock: Clock;
  limits: Pick<WebhookLimits, 'responseTimeoutMs' | 'maxResponseBytes' | 'drainResponseMs'>;
}

/** The outcome of an attempt. `endedMs`: its end on the wall clock. `response`: the beginning of its text, empty without one. */
interface Sent {
  record: AttemptRecord;
  response: string;
  endedMs: number;
}

/**
 * Sends a delivery once. A receiver can make the attempt fail in many ways. It can never make the function throw, take longer than its
 * time, or read more than it should. The status decides as soon as it is known. The beginning of the body is kept for people. More of the
 * body is read only so that the connection can be used again. Returns undefined when `signal` aborted before there was a status.
 */
export async function sendAttempt(
  parts: SendParts,
  delivery: DeliveryDocument,
  signal: AbortSignal,
): Promise<Sent | undefined> {
  const { clock, limits } = parts;
  const at = new Date(clock.now());
  const startedMs = clock.monotonicMs();
  const record = (end: { status?: number; error?: string }): AttemptRecord => ({
    at,
    ...end,
    ms: Math.round(clock.monotonicMs() - startedMs),
  });
  // The time limit covers connecting, sending and waiting together.
  const respond = { clock, timeoutMs: limits.responseTimeoutMs, signals: [signal], onTimeout: noResponse };
  const read = { clock, timeoutMs: limits.drainResponseMs, signals: [signal], onTimeout: noResponse };
  try {
    const { statusCode, headers, body } = await within(respond, (limited) => request(parts, delivery, limited));
    const decided = record(judge(statusCode));
    const kept = new ResponseText(headers);
    // A failure to read the body is ignored, as the status is known. The text that has arrived is kept.
    await within(read, (limited) => drain(body, kept, limits.maxResponseBytes, limited)).catch(() => undefined);
    return { record: decided, response: kept.text(), endedMs: clock.now() };
  } catch (error) {
    return signal.aborted
      ? undefined
      : { record: record({ error: errorWord(error) }), response: '', endedMs: clock.now() };
  }
}

async function request(
  { dispatcher }: SendParts,
  delivery: DeliveryDocument,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const target = targetOf(delivery.url);
  if (target === undefined) throw Object.assign(new Error('not a webhook URL'), { code: 'ERR_INVALID_URL' });
  const { origin, path, authorization } = target;
  const headers = headersOf(delivery, authorization);
  // The client's own time limits are off, as they start anew with each part of a response.
  const timeouts = { headersTimeout: 0, bodyTimeout: 0 };
  return dispatcher.request({ origin, path, method: 'POST', headers, body: delivery.body, signal, ...timeouts });
}

/** Reads a body to its end. Closes its connection instead when the body is too long or `signal` aborts. */
async function drain(body: Readable, kept: ResponseText, maxBytes: number, signal: AbortSignal): Promise<void> {
  const giveUp = (): void => void body.destroy();
  // A destroyed body may emit its error only after the loop, where nothing else would catch the error.
  body.on('error', () => undefined);
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    let bytes = 0;
    for await (const part of body as AsyncIterable<Buffer>) {
      kept.add(part);
      bytes += part.length;
      if (bytes > maxBytes) break;
    }
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

function headersOf(delivery: DeliveryDocument, authorization: string | undefined): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'cloudphone-webhooks/1',
    'X-Service-Signature': delivery.signature,
    'X-Service-Event': delivery.event,
    'X-Service-Delivery': delivery._id,
    'X-Service-Attempt': String(delivery.made + 1),
    traceparent: traceparentOf(delivery.traceId),
    ...(authorization !== undefined && { authorization }),
  };
}

/** Returns the outcome of a response. Any 2xx means delivered; redirects are not followed. */
function judge(status: number): { status: number; error?: string } {
  if (status >= 200 && status < 300) return { status };
  return { status, error: status >= 300 && status < 400 ? 'redirect' : `status_${status}` };
}

function noResponse(): Error {
  return Object.assign(new Error('no response in time'), { code: 'ETIMEDOUT' });
}

/** The header of one attempt: its own span of the event's trace. */
function traceparentOf(traceId: string): string {
  return `00-${traceId}-${randomHex(8)}-01`;
}
