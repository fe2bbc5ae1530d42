import type { Call } from '../../kit/call/call.js';
import type { Clock } from '../../kit/async/clock.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { assertSameAccount, type Authenticate, hasRole } from '../../kit/rpc/caller.js';
import { maySee } from '../../kit/rpc/may-see.js';
import { whileAllowed } from '../../kit/rpc/while-allowed.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { MemberRole } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { WatchEventsRequest } from '../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { STREAM_COMMENT_MS } from '../limits.js';
import type { EventDocument, EventStore } from '../store/events.js';
import type { AccountTail, AccountTails } from './account-tails.js';

/** Types of events in streams. */
const TYPES = [
  ...['job.finished', 'health.problem', 'health.resolved', 'recording.finished'],
  ...['lease.begun', 'lease.ended', 'handover.begun', 'handover.ended', 'device.state'],
  ...['app.crashed', 'app.not_responding', 'key.expiring'],
];

export interface WatchEventsParts {
  events: EventStore;
  tails: AccountTails;
  authenticate: Authenticate;
  clock: Clock;
}

/** A message of a stream: an event, or the place that the stream has reached. A place has an empty type. */
export interface StreamMessage {
  id: string;
  type: string;
  data: Uint8Array;
}

/**
 * Yields the events of the account that the caller may see, from the requested place on. It ends when the caller hangs up or loses its
 * permission. The first message is the place where the stream begins. Nothing is read ahead for a slow reader, as the events stay in the
 * log.
 */
export async function* watchEvents(
  parts: WatchEventsParts,
  call: Call,
  known: Caller,
  request: WatchEventsRequest,
): AsyncGenerator<StreamMessage, void, undefined> {
  const { tails, authenticate, clock } = parts;
  const { accountId } = known;
  const isWanted = filterOf(request);
  // An empty header counts as absent. EventSource leaves the header out at first, and some clients always send it.
  const given = request.lastEventIdHeader === '' ? undefined : request.lastEventIdHeader;
  const tail = await tails.open(accountId);
  try {
    let caller = known;
    const from = await placeOf(parts, tail, accountId, given ?? request.lastEventId);
    const check = async (): Promise<void> => {
      const now = await authenticate(call.authorization ?? '');
      assertSameAccount(known, now);
      caller = now;
    };
    const passes = (event: EventDocument): boolean => isWanted(event) && isSeen(caller, event);
    yield* whileAllowed(readLog(tail, from, passes, call.signal, clock), check, clock, call.signal);
  } finally {
    tails.close(accountId);
  }
}

async function* readLog(
  tail: AccountTail,
  from: number,
  passes: (event: EventDocument) => boolean,
  signal: AbortSignal,
  clock: Clock,
): AsyncGenerator<StreamMessage, void, undefined> {
  let seq = from;
  yield place(seq);
  let sentMs = clock.monotonicMs();
  for (;;) {
    signal.throwIfAborted();
    const events = await tail.after(seq);
    for (const event of events) {
      if (event.seq !== seq + 1) throw notKept(event.seq - 1);
      seq = event.seq;
      if (!passes(event)) continue;
      yield { id: idOf(seq), type: event.type, data: event.payload };
      sentMs = clock.monotonicMs();
    }
    const restMs = sentMs + STREAM_COMMENT_MS - clock.monotonicMs();
    if (restMs <= 0) {
      yield place(seq);
      sentMs = clock.monotonicMs();
    } else if (events.length === 0 && tail.lastSeq <= seq) {
      await tail.grown.wait({ signal, timeout: { clock, ms: restMs } });
    }
  }
}

function filterOf({ types, device }: WatchEventsRequest): (event: EventDocument) => boolean {
  const words = types.flatMap((word) => word.split(','));
  const unknown = words.find((word) => !TYPES.includes(word));
  if (unknown !== undefined) {
    throw new ApiError(
      'bad_request',
      `types: ${JSON.stringify(unknown.slice(0, 40))} is not one of ${TYPES.join(', ')}`,
    );
  }
  return (event) =>
    (words.length === 0 || words.includes(event.type)) && (device === undefined || event.device === device);
}

/**
 * A group has no device, so its maker decides. An event has the labels that its device had at that time. An event of a key is for that key,
 * and for those who see all keys.
 */
function isSeen(
  caller: Caller,
  { type, device: name, deviceCreatedBy: createdBy, deviceLabels: labels = [] }: EventDocument,
): boolean {
  if (type === 'key.expiring' && caller.keyId !== createdBy && !hasRole(caller, MemberRole.ADMIN)) return false;
  return maySee(caller, { name, createdBy, labels });
}

/**
 * Returns the number after which a stream begins. Throws bad_request for a text that is no id, and for an id whose successor is not kept
 * any more.
 */
async function placeOf(
  { events }: WatchEventsParts,
  tail: AccountTail,
  accountId: string,
  id: string | undefined,
): Promise<number> {
  if (id === undefined) return tail.lastSeq;
  const seq = /^\d{12}$/.test(id) ? Number(id) : NaN;
  // Another process may have added the event a moment ago.
  if (seq > tail.lastSeq) await tail.refresh();
  if (!(seq <= tail.lastSeq)) {
    throw new ApiError('bad_request', 'Last-Event-ID is not the id of an event of this account. Connect without one.');
  }
  const first = await events.findFirstSeq(accountId);
  if (seq < first - 1) throw notKept(first - 1);
  return seq;
}

function notKept(oldest: number): ApiError {
  return new ApiError(
    'bad_request',
    `The events after this Last-Event-ID are not kept any more: they are kept for 24 hours. The oldest id to go on from is ${idOf(oldest)}.`,
  );
}

function place(seq: number): StreamMessage {
  return { id: idOf(seq), type: '', data: new Uint8Array() };
}

/** Ids of an account sort as texts, too. */
function idOf(seq: number): string {
  return String(seq).padStart(12, '0');
}
