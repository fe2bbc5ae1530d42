import { request, type Dispatcher } from 'undici';
import type { Clock } from '../../kit/clock.js';
import type { WebhookLimits } from '../limits.js';
import type { AttemptRecord, DeliveryDocument } from '../store/delivery-document.js';
import { errorWord } from './error-word.js';
import { targetOf } from './target.js';
import { traceparentOf } from './trace.js';

export interface SendParts {
  /** Connects through the address guard and follows no redirects. */
  dispatcher: Dispatcher;
  clock: Clock;
  limits: Pick<WebhookLimits, 'answerTimeoutMs' | 'answerMaxBytes' | 'drainAnswerMs'>;
}

/** What became of an attempt. `endedMs`: when, on the wall clock. */
export interface Sent {
  record: AttemptRecord;
  endedMs: number;
}

/**
 * Sends a delivery once and answers what came of it; a receiver can make it fail in many ways but never make it throw, wait longer
 * than the time it has, or read more than it should. The status decides as soon as it is there; what follows of the answer is
 * read, not decoded, only so that the connection can be used again. Answers undefined when `signal` cut it.
 */
export async function sendAttempt(
  { dispatcher, clock, limits }: SendParts,
  delivery: DeliveryDocument,
  signal: AbortSignal,
): Promise<Sent | undefined> {
  const at = new Date(clock.now());
  const startedMs = clock.monotonicMs();
  const cut = new AbortController();
  const stop = (): void => cut.abort(new Error('closing'));
  signal.addEventListener('abort', stop, { once: true });
  const late = new Error('no answer in time');
  let timer = clock.after(limits.answerTimeoutMs, () => cut.abort(late));
  const tookMs = (): number => Math.round(clock.monotonicMs() - startedMs);
  try {
    const target = targetOf(delivery.url);
    if (target === undefined) return ended({ at, error: 'url', ms: tookMs() });
    const { statusCode, body } = await request(target.url, {
      method: 'POST',
      dispatcher,
      signal: cut.signal,
      // Our own timer is the only one: it covers connecting, sending and waiting together.
      headersTimeout: 0,
      bodyTimeout: 0,
      headers: headersOf(delivery, target.authorization),
      body: delivery.body,
    });
    const record = { at, status: statusCode, ms: tookMs(), ...judge(statusCode) };
    timer.cancel();
    timer = clock.after(limits.drainAnswerMs, () => cut.abort(new Error('answer too slow')));
    // Cut or broken off half-way: the status has decided already.
    await body.dump({ limit: limits.answerMaxBytes, signal: cut.signal }).catch(() => body.destroy());
    return ended(record);
  } catch (error) {
    if (signal.aborted) return undefined;
    return ended({ at, error: cut.signal.reason === late ? 'timeout' : errorWord(error), ms: tookMs() });
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', stop);
  }

  function ended(record: AttemptRecord): Sent {
    return { record, endedMs: clock.now() };
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

/** Contract 5: any 2xx is delivered; redirects are not followed. */
function judge(status: number): { error?: string } {
  if (status >= 200 && status < 300) return {};
  return { error: status >= 300 && status < 400 ? 'redirect' : `status_${status}` };
}
