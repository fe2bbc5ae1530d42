import type { DescMethodBiDiStreaming, Message } from '@bufbuild/protobuf';
import type { OpenCall } from '../../kit/call/call.js';
import { rpcOptions } from '../../kit/rpc/call-crossing.js';
import type { Route } from '../routes/route.js';

/**
 * A stream both ways to a service, for a WebSocket. The service sees the first message alone until its response shows that it takes the
 * stream; the client's messages follow once the WebSocket is open. `Client` is what they are read from.
 */
export class ServiceStream<Client> {
  readonly #route: Route;
  readonly #call: OpenCall;
  readonly #first: Message;
  #responses: AsyncIterator<Message> | undefined;
  /** Begins to take the client's messages; undefined means that there will be none. */
  #join: (client: Client | undefined) => void = () => undefined;
  readonly #joined = new Promise<Client | undefined>((resolve) => {
    this.#join = resolve;
  });

  constructor({ route, call, first }: { route: Route; call: OpenCall; first: Message }) {
    this.#route = route;
    this.#call = call;
    this.#first = first;
  }

  /**
   * Opens the stream, and returns the service's first message. `messagesOf` returns the rpc's messages of a client that has joined. Throws
   * the service's error when the service refuses the stream.
   */
  async open(messagesOf: (client: Client) => AsyncIterable<Message>): Promise<Message> {
    const { signal, timeoutMs, contextValues } = rpcOptions(this.#call);
    const { transport, rpc } = this.#route;
    const method = rpc as DescMethodBiDiStreaming;
    const requests = this.#requests(messagesOf);
    const { message } = await transport.stream(method, signal, timeoutMs, undefined, requests, contextValues);
    this.#responses = message[Symbol.asyncIterator]();
    const hello = await this.next();
    if (hello === undefined) throw new Error(`${rpc.toString()} ended without a message`);
    return hello;
  }

  join(client: Client): void {
    this.#join(client);
  }

  /** Returns the service's next message; undefined at the end of the stream. */
  async next(): Promise<Message | undefined> {
    const step = await this.#responses?.next();
    return step?.done === true ? undefined : step?.value;
  }

  /** Ends the stream. Safe to call any number of times. */
  hangUp(): void {
    this.#join(undefined);
    this.#call.hangUp();
    this.#call.end();
  }

  async *#requests(messagesOf: (client: Client) => AsyncIterable<Message>): AsyncGenerator<Message, void, undefined> {
    yield this.#first;
    const client = await this.#joined;
    if (client !== undefined) yield* messagesOf(client);
  }
}
