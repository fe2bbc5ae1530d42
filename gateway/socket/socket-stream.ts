import type { Socket } from 'node:net';
import type { Message } from '@bufbuild/protobuf';
import type { WebSocket } from 'ws';
import type { OpenCall } from '../../kit/call/call.js';
import type { Clock } from '../../kit/async/clock.js';
import { ApiError, INTERNAL_MESSAGE } from '../../kit/errors/api-error.js';
import type { Route } from '../routes/route.js';
import type { SocketForm } from '../routes/socket-form.js';
import { ClientMessages, SILENCE } from './client-messages.js';
import { ClientSocket } from './client-socket.js';
import { closeOf } from './close-code.js';
import type { OpenSocket } from './open-sockets.js';
import { ServiceStream } from './service-stream.js';

/** How long the stream stays open after a client closed, ms, so that the client's last input reaches the service. */
const LINGER_MS = 500;

/** How a WebSocket ended. */
export interface SocketEnd {
  /** The code with which the WebSocket closed. */
  code: number;
  frames: number;
  error: unknown;
}

/** A stream to a service, and the WebSocket that it is joined with. */
export class SocketStream implements OpenSocket {
  readonly #form: SocketForm;
  readonly #clock: Clock;
  readonly #stream: ServiceStream<[ClientSocket, ClientMessages]>;
  #socket: ClientSocket | undefined;
  #hasInput = false;

  constructor(parts: { route: Route; form: SocketForm; clock: Clock; call: OpenCall; first: Message }) {
    this.#form = parts.form;
    this.#clock = parts.clock;
    this.#stream = new ServiceStream(parts);
  }

  /** Opens the stream, and returns the service's first message. Throws the service's error when the service refuses the stream. */
  open(): Promise<Message> {
    return this.#stream.open(([socket, messages]) => this.#messagesOf(socket, messages));
  }

  /** Passes messages on in both directions until one side ends. Never throws. */
  async run(ws: WebSocket, connection: Socket, hello: Message): Promise<SocketEnd> {
    const messages = new ClientMessages(ws);
    const socket = new ClientSocket(ws, connection, { clock: this.#clock, onSilence: () => messages.noteSilence() });
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
    this.#stream.join([socket, messages]);
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
    this.#stream.hangUp();
  }

  async #pass(hello: Message, socket: ClientSocket): Promise<void> {
    let message: Message | undefined = hello;
    while (message !== undefined) {
      const out = this.#form.write(message);
      // Texts and pictures are not awaited, as a newer picture replaces one that the client does not take. A video needs every access
      // unit, so each is awaited. The wait slows the service's stream down. For a slow client, the service drops units, and begins again
      // with a key frame.
      if (typeof out === 'string') socket.text(out);
      else if (out.flags === undefined) socket.frame(out);
      else await socket.unit(out);
      message = await this.#stream.next();
    }
  }

  async *#messagesOf(socket: ClientSocket, messages: ClientMessages): AsyncGenerator<Message, void, undefined> {
    for await (const text of messages) {
      if (text === SILENCE) {
        const silence = this.#form.silence();
        if (silence !== undefined) yield silence;
        continue;
      }
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
