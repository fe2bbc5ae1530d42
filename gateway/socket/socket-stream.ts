import type { Socket } from 'node:net';
import type { DescMethodBiDiStreaming, Message } from '@bufbuild/protobuf';
import type { WebSocket } from 'ws';
import type { OpenCall } from '../../kit/call.js';
import type { Clock } from '../../kit/clock.js';
import { ApiError, INTERNAL_MESSAGE } from '../../kit/errors.js';
import { rpcOptions } from '../../kit/rpc/call-crossing.js';
import type { Route } from '../routes/route.js';
import type { SocketForm } from '../routes/socket-form.js';
import { ClientMessages } from './client-messages.js';
import { ClientSocket } from './client-socket.js';
import { closeOf } from './close-code.js';
import type { OpenSocket } from './open-sockets.js';

/** After a client's close, the input that it had sent before has so long to get to the service, ms. */
const LINGER_MS = 500;

/** How a WebSocket ended. */
export interface SocketEnd {
  /** Of the close, as the WebSocket has it in the end. */
  code: number;
  frames: number;
  error: unknown;
}

/** A stream to a service, and the WebSocket that it is joined with. */
export class SocketStream implements OpenSocket {
  readonly #route: Route;
  readonly #form: SocketForm;
  readonly #clock: Clock;
  readonly #call: OpenCall;
  readonly #first: Message;
  #responses: AsyncIterator<Message> | undefined;
  /** Begins to take the client's messages; undefined: there will be none. */
  #join: (joined: [ClientSocket, ClientMessages] | undefined) => void = () => undefined;
  readonly #joined = new Promise<[ClientSocket, ClientMessages] | undefined>((resolve) => {
    this.#join = resolve;
  });
  #socket: ClientSocket | undefined;
  #hasInput = false;

  constructor(parts: { route: Route; form: SocketForm; clock: Clock; call: OpenCall; first: Message }) {
    this.#route = parts.route;
    this.#form = parts.form;
    this.#clock = parts.clock;
    this.#call = parts.call;
    this.#first = parts.first;
  }

  /** Opens the stream, and returns the service's first message. Throws why it was refused. */
  async open(): Promise<Message> {
    const { transport } = this.#route;
    const { signal, timeoutMs, contextValues } = rpcOptions(this.#call);
    const rpc = this.#route.rpc as DescMethodBiDiStreaming;
    const { message } = await transport.stream(rpc, signal, timeoutMs, undefined, this.#requests(), contextValues);
    this.#responses = message[Symbol.asyncIterator]();
    const hello = await this.#responses.next();
    if (hello.done === true) throw new Error(`${rpc.toString()} ended without a message`);
    return hello.value;
  }

  /** Passes messages on in both directions until one side ends. Never throws. */
  async run(ws: WebSocket, connection: Socket, hello: Message): Promise<SocketEnd> {
    const socket = new ClientSocket(ws, connection, this.#clock);
    this.#socket = socket;
    // The library closes the WebSocket for messages that break its rules.
    ws.on('error', () => undefined);
    const closed = new Promise<number>((resolve) => {
      ws.once('close', (code) => {
        if (this.#hasInput) this.#clock.after(LINGER_MS, () => this.hangUp());
        else this.hangUp();
        resolve(code);
      });
    });
    this.#join([socket, new ClientMessages(ws)]);
    let error: unknown;
    try {
      await this.#pass(hello, socket);
      socket.close(1000, '');
    } catch (thrown) {
      if (ws.readyState === ws.OPEN) {
        error = thrown;
        const shown = thrown instanceof ApiError ? thrown : new ApiError('internal', INTERNAL_MESSAGE);
        const { code, reason } = closeOf(shown);
        socket.close(code, reason, errorText(shown));
      }
    }
    const code = await closed;
    this.hangUp();
    return { code, frames: socket.frames, error };
  }

  get queued(): number {
    return this.#socket?.queued ?? 0;
  }

  leave(): void {
    if (this.#socket === undefined) this.hangUp();
    else this.#socket.close(1001, 'The service is stopping. Connect again.');
  }

  /** Ends the stream. Safe to call any number of times. */
  hangUp(): void {
    this.#join(undefined);
    this.#call.hangUp();
    this.#call.end();
  }

  async #pass(hello: Message, socket: ClientSocket): Promise<void> {
    let message: Message | undefined = hello;
    while (message !== undefined) {
      const out = this.#form.write(message);
      // Texts and pictures are never waited for: a newer picture takes the place of one that the client does not take. Of a video that cannot
      // be: the service drops what a slow client misses, as it alone can begin again with a key frame, and it sees that by our waiting.
      if (typeof out === 'string') socket.text(out);
      else if (out.flags === undefined) socket.frame(out);
      else await socket.unit(out);
      message = (await this.#responses?.next())?.value as Message | undefined;
    }
  }

  async *#requests(): AsyncGenerator<Message, void, undefined> {
    yield this.#first;
    const joined = await this.#joined;
    if (joined === undefined) return;
    const [socket, messages] = joined;
    for await (const text of messages) {
      await socket.room();
      let request: Message;
      try {
        if (text === undefined) throw new ApiError('bad_request', 'Binary messages are not taken. Send JSON as text.');
        request = this.#form.read(text);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        socket.text(errorText(error));
        continue;
      }
      this.#hasInput = true;
      yield request;
    }
  }
}

function errorText({ kind, message }: ApiError): string {
  return JSON.stringify({ type: 'error', error: kind, message });
}
