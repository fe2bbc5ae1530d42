import type { ServerResponse } from 'node:http';
import type { DescMethodServerStreaming, Message } from '@bufbuild/protobuf';
import type { OpenCall } from '../../kit/call/call.js';
import { ClientGone } from '../../kit/call/call.js';
import type { Clock } from '../../kit/async/clock.js';
import { ApiError, INTERNAL_MESSAGE } from '../../kit/errors/api-error.js';
import { rpcOptions } from '../../kit/rpc/call-crossing.js';
import type { ServerSentEvent } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { drained } from '../http/drained.js';
import type { Route } from '../routes/route.js';
import type { OpenSocket } from '../socket/open-sockets.js';
import { closedText, eventText, STREAM_BEGIN } from './event-text.js';

/** The time after the last event within which the client must have read everything, ms. Then the connection is cut. */
const CLOSE_MS = 2_000;

/** How an event stream ended. */
export interface StreamEnd {
  events: number;
  error: unknown;
}

/**
 * Writes the messages of a streaming rpc to a response. A message is read only when the client has taken the earlier ones.
 */
export class EventStream implements OpenSocket {
  readonly #route: Route;
  readonly #clock: Clock;
  readonly #call: OpenCall;
  readonly #request: Message;
  readonly #slowMs: number;
  #messages: AsyncIterator<Message> | undefined;
  #leaving: ApiError | undefined;
  #events = 0;
  /** The value is 1 while the client has not taken what was written, and otherwise 0. */
  queued = 0;

  constructor(parts: { route: Route; clock: Clock; call: OpenCall; request: Message; slowMs: number }) {
    this.#route = parts.route;
    this.#clock = parts.clock;
    this.#call = parts.call;
    this.#request = parts.request;
    this.#slowMs = parts.slowMs;
  }

  /** Opens the stream, and returns its first event. Throws the reason when it is refused. */
  async open(): Promise<ServerSentEvent> {
    const { signal, timeoutMs, contextValues } = rpcOptions(this.#call);
    const rpc = this.#route.rpc as DescMethodServerStreaming;
    const request = this.#request;
    const requests = async function* (): AsyncGenerator<Message, void, undefined> {
      yield request;
    };
    const { message } = await this.#route.transport.stream(
      rpc,
      signal,
      timeoutMs,
      undefined,
      requests(),
      contextValues,
    );
    this.#messages = message[Symbol.asyncIterator]();
    const first = await this.#next();
    if (first === undefined) throw new Error(`${rpc.toString()} ended without a message`);
    return first;
  }

  /** Writes events until one side ends. Never throws. */
  async run(response: ServerResponse, first: ServerSentEvent): Promise<StreamEnd> {
    let error: unknown;
    try {
      response.write(STREAM_BEGIN);
      for (let event: ServerSentEvent | undefined = first; event !== undefined; event = await this.#next()) {
        if (event.type !== '') this.#events++;
        await this.#write(response, eventText(event));
      }
      response.end();
    } catch (thrown) {
      if (!(this.#call.endedBy instanceof ClientGone)) {
        error = this.#leaving ?? thrown;
        this.#close(response, error);
      }
    }
    this.hangUp();
    return { events: this.#events, error };
  }

  leave(): void {
    this.#leaving = new ApiError('unavailable', 'The service is stopping. Connect again.');
    this.#call.abort(this.#leaving);
  }

  /** Ends the stream. Safe to call any number of times. */
  hangUp(): void {
    this.#call.hangUp();
    this.#call.end();
  }

  async #next(): Promise<ServerSentEvent | undefined> {
    const message = (await this.#messages?.next())?.value as Message | undefined;
    return message === undefined ? undefined : this.#route.eventOf?.(message);
  }

  /** Writes text, and resolves when the client has taken most of it. Throws timeout when the client does not. */
  async #write(response: ServerResponse, text: string): Promise<void> {
    if (response.write(text)) return;
    this.queued = 1;
    try {
      await this.#call.unlessEnded(
        drained(response, { clock: this.#clock, slowMs: this.#slowMs, onSlow: () => slow(this.#slowMs) }),
      );
    } finally {
      this.queued = 0;
    }
  }

  #close(response: ServerResponse, error: unknown): void {
    const { kind, message } = error instanceof ApiError ? error : new ApiError('internal', INTERNAL_MESSAGE);
    response.end(closedText(kind, message));
    const timer = this.#clock.after(CLOSE_MS, () => response.destroy());
    response.once('close', () => timer.cancel());
  }
}

function slow(slowMs: number): ApiError {
  const seconds = slowMs / 1000;
  return new ApiError('timeout', `The client took no events for ${seconds} s. Connect again to go on from there.`);
}
