import { createHash } from 'node:crypto';
import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { Binary } from 'mongodb';
import type { Clock } from '../../../kit/async/clock.js';
import { ApiError, errorKinds } from '../../../kit/errors/api-error.js';
import { createId } from '../../../kit/text/ids.js';
import type { IdempotencyDocument, IdempotencyStore } from '../../store/idempotency.js';

/** How long responses are kept: 24 hours. */
const KEPT_MS = 86_400_000;
/**
 * The lease of a request on its work, ms. After that, a repetition of the request may do the work. The work takes some ms, and a process
 * that stalls usually continues within this time.
 */
const RUN_MS = 3_000;
/** The pause between two looks at whether another request's work has ended, ms. */
const READ_AGAIN_MS = 50;

/** Ids of the things that a request makes, chosen before it makes them. */
export interface ChosenIds {
  phoneId: string;
  jobId: string;
  /** How long the response is kept for repetitions of the request, ms. */
  keptMs: number;
}

export interface OnceRequest<D extends DescMessage> {
  /** The API key or session that sends the request. The Idempotency-Keys of different callers are separate. */
  callerId: string;
  idempotencyKey: string;
  /** The request, without the Idempotency-Key. */
  schema: D;
  message: MessageShape<D>;
}

/**
 * Carries out a request once, however often it is sent with the same Idempotency-Key, and returns the first response each time.
 *
 * The record is written first, with the ids of the device and job to be made. So after a crash anywhere, a repeated request makes the same
 * things: `work` must be safe to do again with the same ids. The first outcome that is written is returned to all. The lease only prevents
 * double work, so it has no owner. A request takes the lease over only if the lease still has the end that was read. Requests that come
 * while one is under way wait for its response. Errors of the caller are outcomes too; internal ones are not, so that a retry can succeed.
 */
export class Once {
  readonly #store: IdempotencyStore;
  readonly #clock: Clock;

  constructor(store: IdempotencyStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Runs `work` once for the key. Throws bad_request when the key was used for another request. `replayed`: the response is that of an
   * earlier request.
   */
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
      if (known.runUntil.getTime() <= nowMs) {
        const taken = await this.#store.take(known, new Date(nowMs + RUN_MS));
        if (taken !== undefined) return this.#work(taken, responseSchema, work);
      }
      await this.#clock.sleep(READ_AGAIN_MS, signal);
    }
  }

  async #work<O extends DescMessage>(
    taken: IdempotencyDocument,
    responseSchema: O,
    work: (ids: ChosenIds) => Promise<MessageShape<O>>,
  ): Promise<{ response: MessageShape<O>; replayed: boolean }> {
    const { _id, phoneId, jobId } = taken;
    let outcome: NonNullable<IdempotencyDocument['outcome']>;
    try {
      const response = await work({ phoneId, jobId, keptMs: KEPT_MS });
      outcome = { answer: new Binary(toBinary(responseSchema, response)) };
    } catch (error) {
      if (!(error instanceof ApiError) || errorKinds[error.kind].status >= 500) {
        await this.#store.release(taken);
        throw error;
      }
      outcome = { error: { kind: error.kind, message: error.message } };
    }
    if (await this.#store.end(_id, outcome)) {
      if ('error' in outcome) throw new ApiError(outcome.error.kind, outcome.error.message);
      // The response is made from the stored bytes, so that later responses cannot differ from it.
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

/**
 * Returns a fingerprint that is equal for equal requests. The entries of maps are sorted first, because some gRPC libraries write them in a
 * different order each time.
 */
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
