import type { Dispatcher } from 'undici';
import type { Clock } from '../../kit/clock.js';
import type { AttemptRecord, DeliveryDocument } from '../store/delivery-document.js';
import { errorWord } from './error-word.js';
import { Exchange, type ExchangeEnd, type ExchangeLimits } from './exchange.js';
import { targetOf } from './target.js';
import { traceparentOf } from './trace.js';

export interface SendParts {
  /** Connects through the address guard and follows no redirects. */
  dispatcher: Dispatcher;
  clock: Clock;
  limits: ExchangeLimits;
}

/** An attempt under way. */
export interface Attempt {
  /** Its outcome; undefined when it was cut before it had a response. Never fails. */
  ended: Promise<Sent | undefined>;
  cut(): void;
}

/** The outcome of an attempt. `endedMs`: its end on the wall clock. */
interface Sent {
  record: AttemptRecord;
  endedMs: number;
}

const CUT = new Error('cut by the courier');

/**
 * Sends a delivery once; a receiver can make that fail in many ways but never make it throw, wait longer than the time it has, or
 * read more than it should.
 */
export function sendAttempt({ dispatcher, clock, limits }: SendParts, delivery: DeliveryDocument): Attempt {
  const at = new Date(clock.now());
  const exchange = new Exchange(clock, limits);
  const target = targetOf(delivery.url);
  if (target === undefined) exchange.cut(Object.assign(new Error('not a webhook URL'), { code: 'ERR_INVALID_URL' }));
  else {
    const { origin, path, authorization } = target;
    const headers = headersOf(delivery, authorization);
    // Time limits of its own would start anew with each part of a response.
    const timeouts = { headersTimeout: 0, bodyTimeout: 0 };
    dispatcher.dispatch({ origin, path, method: 'POST', headers, body: delivery.body, ...timeouts }, exchange);
  }
  return {
    ended: exchange.ended.then((end) =>
      'error' in end && end.error === CUT ? undefined : { record: { at, ...judge(end) }, endedMs: clock.now() },
    ),
    cut: () => exchange.cut(CUT),
  };
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

/** Any 2xx is delivered; redirects are not followed. */
function judge(end: ExchangeEnd): Omit<AttemptRecord, 'at'> {
  if ('error' in end) return { error: errorWord(end.error), ms: end.ms };
  const { status } = end;
  if (status >= 200 && status < 300) return end;
  return { ...end, error: status >= 300 && status < 400 ? 'redirect' : `status_${status}` };
}
