import { createHash } from 'node:crypto';
import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { Binary } from 'mongodb';
import type { Clock } from '../../kit/clock.js';
import { ApiError, errorKinds } from '../../kit/errors.js';
import { createId } from '../../kit/ids.js';
import type { IdempotencyDocument, IdempotencyStore } from '../store/idempotency.js';

/** How long responses are kept: 24 hours. */
const KEPT_MS = 86_400_000;
/** How long a try has before another may go on with it, ms. The work takes some ms; a stalled process comes back in less. */
const RUN_MS = 3_000;
/** How often a request that waits for another's try reads its outcome again, ms. */
const READ_AGAIN_MS = 50;

/** Ids of the things that a request makes, chosen before it makes them. */
export interface ChosenIds {
  phoneId: string;
  jobId: string;
  /** How long it may be tried again, ms. */
  keptMs: number;
}

export interface OnceRequest<D extends DescMessage> {
  /** The API key or session that sends it: Idempotency-Keys of different callers are apart. */
  callerId: string;
  idempotencyKey: string;
  /** The request, without the Idempotency-Key. */
  schema: D;
  message: MessageShape<D>;
}

/**
 * Carries out a request once, however often it is sent with the same Idempotency-Key, and returns the first response each time.
 *
 * The record is written first, with the ids of the device and job to be made; so after a crash anywhere, sending the request again makes
 * the same things (`work` must be safe to do again with the same ids), and the first outcome that is written is returned to all.
 * Requests that come while one is under way wait for its response. Errors of the caller are outcomes too; internal ones are not, so that
 * a retry can succeed.
 */
export class Once {
  readonly #store: IdempotencyStore;
  readonly #clock: Clock;

  constructor(store: IdempotencyStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Throws bad_request when the key was used for another request. `replayed`: the response is of an earlier request. */
  async run<I extends DescMessage, O extends DescMessage>(
    request: OnceRequest<I>,
    responseSchema: O,
    work: (ids: ChosenIds) => Promise<MessageShape<O>>,
    signal: AbortSignal,
  ): Promise<{ response: MessageShape<O>; replayed: boolean }> {
    const { schema, message } = request;
    const fingerprint = fingerprintOf(schema, message);
    const id = `${request.callerId}/${digest(Buffer.from(request.idempotencyKey))}`;
    for (;;) {
      const nowMs = this.#clock.now();
      const fresh: IdempotencyDocument = {
        _id: id,
        fingerprint,
        phoneId: createId('ph', nowMs),
        jobId: createId('job', nowMs),
        runUntil: new Date(nowMs + RUN_MS),
        expiresAt: new Date(nowMs + KEPT_MS),
      };
      if (await this.#store.insert(fresh)) return this.#work(fresh, responseSchema, work);
      const known = await this.#store.find(id);
      if (known === null) continue;
      if (known.expiresAt.getTime() <= nowMs) {
        await this.#store.forgetExpired(id, new Date(nowMs));
        continue;
      }
      if (known.fingerprint !== fingerprint) {
        throw new ApiError(
          'bad_request',
          'Idempotency-Key: it was used for a request with another body. Use a new key for a new request.',
        );
      }
      if (known.outcome !== undefined) return { response: responseOf(known.outcome, responseSchema), replayed: true };
      if (known.runUntil.getTime() <= nowMs && (await this.#store.take(known, new Date(nowMs + RUN_MS)))) {
        return this.#work(known, responseSchema, work);
      }
      await this.#clock.sleep(READ_AGAIN_MS, signal);
    }
  }

  async #work<O extends DescMessage>(
    { _id, phoneId, jobId }: IdempotencyDocument,
    responseSchema: O,
    work: (ids: ChosenIds) => Promise<MessageShape<O>>,
  ): Promise<{ response: MessageShape<O>; replayed: boolean }> {
    let outcome: NonNullable<IdempotencyDocument['outcome']>;
    try {
      const response = await work({ phoneId, jobId, keptMs: KEPT_MS });
      outcome = { answer: new Binary(toBinary(responseSchema, response)) };
    } catch (error) {
      if (!(error instanceof ApiError) || errorKinds[error.kind].status >= 500) {
        await this.#store.release(_id);
        throw error;
      }
      outcome = { error: { kind: error.kind, message: error.message } };
    }
    if (await this.#store.end(_id, outcome)) {
      if ('error' in outcome) throw new ApiError(outcome.error.kind, outcome.error.message);
      // From the bytes that are kept, so that later responses cannot differ from it.
      return { response: responseOf(outcome, responseSchema), replayed: false };
    }
    const known = await this.#store.find(_id);
    if (known?.outcome === undefined) throw new Error(`the outcome of ${_id} was decided and is gone`);
    return { response: responseOf(known.outcome, responseSchema), replayed: true };
  }
}

function responseOf<O extends DescMessage>(
  outcome: NonNullable<IdempotencyDocument['outcome']>,
  schema: O,
): MessageShape<O> {
  if ('error' in outcome) throw new ApiError(outcome.error.kind, outcome.error.message, { replayed: true });
  return fromBinary(schema, outcome.answer.buffer);
}

/** Equal for equal requests. Entries of maps have no order, and some gRPC libraries write them in another one each time. */
function fingerprintOf<D extends DescMessage>(schema: D, message: MessageShape<D>): string {
  const sorted: Record<string, unknown> = { ...message };
  for (const { fieldKind, localName } of schema.fields) {
    if (fieldKind !== 'map') continue;
    const entries = Object.entries(sorted[localName] as Record<string, unknown>);
    sorted[localName] = Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
  }
  return digest(Buffer.concat([Buffer.from(schema.typeName), toBinary(schema, sorted as MessageShape<D>)]));
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
