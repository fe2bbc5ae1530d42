import { createId } from '../../kit/text/ids.js';
import type { Subscriber } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { sign } from '../sending/sign.js';
import { type Trace, traceIdOf } from '../../kit/log/trace.js';
import type { DeliveryDocument } from '../store/delivery-document.js';
import { urlDigest } from '../store/url-digest.js';

/** Number of attempts: the first at once, the second 10 s later, the third one minute later. */
const ATTEMPTS = 3;

export interface EventToDeliver {
  id: string;
  type: string;
  accountId: string;
  /** Empty for a test. */
  device: string;
  payload: Uint8Array;
}

/**
 * A delivery of an event to a key's webhook, due at once. It is signed here: the body is the same on each attempt, so the signature
 * is too, and the secret need not be kept.
 */
export function newDelivery(
  event: EventToDeliver,
  { keyId, url, secret, memberId }: Pick<Subscriber, 'keyId' | 'url' | 'secret' | 'memberId'>,
  { nowMs, trace }: { nowMs: number; trace: Trace },
): DeliveryDocument {
  const now = new Date(nowMs);
  return {
    _id: createId('dlv', nowMs),
    eventId: event.id,
    keyId,
    accountId: event.accountId,
    ...(memberId !== undefined && { memberId }),
    event: event.type,
    device: event.device,
    url,
    urlDigest: urlDigest(url),
    body: Buffer.from(event.payload),
    signature: sign(event.payload, secret),
    traceId: traceIdOf(trace),
    createdAt: now,
    state: 'pending',
    attempts: [],
    made: 0,
    left: ATTEMPTS,
    dueAt: now,
    nextAt: now,
  };
}
