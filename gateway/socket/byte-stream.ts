import type { Socket } from 'node:net';
import type { Message } from '@bufbuild/protobuf';
import type { WebSocket } from 'ws';
import type { Clock } from '../../kit/async/clock.js';
import { WakeSignal } from '../../kit/async/wake-signal.js';
import type { OpenCall } from '../../kit/call/call.js';
import { ApiError, INTERNAL_MESSAGE } from '../../kit/errors/api-error.js';
import type { BytesForm } from '../routes/bytes-form.js';
import type { Route } from '../routes/route.js';
import { ClientBytes } from './client-bytes.js';
import { closeOf } from './close-code.js';
import { Heartbeat } from './heartbeat.js';
import type { OpenSocket } from './open-sockets.js';
import { ServiceStream } from './service-stream.js';
import type { SocketEnd } from './socket-stream.js';

/** With this many bytes that the connection has not taken, nothing more is read from the service. A message comes in addition. */
const MAX_UNSENT_BYTES = 256 * 1024;

/** A stream of bytes to a service, and the WebSocket that it is joined with. Each side is read no faster than the other takes. */
export class ByteStream implements OpenSocket {
  /** It holds no pictures. */
  readonly queued = 0;
  readonly #form: BytesForm;
  readonly #clock: Clock;
  readonly #stream: ServiceStream<ClientBytes>;
  readonly #room = new WakeSignal();
  #ws: WebSocket | undefined;
  #unsentBytes = 0;

  constructor(parts: { route: Route; form: BytesForm; clock: Clock; call: OpenCall; first: Message }) {
    this.#form = parts.form;
    this.#clock = parts.clock;
    this.#stream = new ServiceStream(parts);
  }

  /** Opens the stream, and returns the service's first message. Throws the service's error when the service refuses the stream. */
  open(): Promise<Message> {
    return this.#stream.open((bytes) => this.#messagesOf(bytes));
  }

  /** Passes bytes on in both directions until one side ends. Never throws. */
  async run(ws: WebSocket, connection: Pick<Socket, 'bytesRead'>): Promise<SocketEnd> {
    this.#ws = ws;
    const heartbeat = new Heartbeat(ws, this.#clock, connection);
    // The library closes the WebSocket for messages that break its rules.
    ws.on('error', () => undefined);
    const closed = new Promise<number>((resolve) => {
      ws.once('close', (code) => {
        this.#room.wake();
        this.hangUp();
        resolve(code);
      });
    });
    const onText = (): void => ws.close(1003, 'bad_request: Text is not taken. Send the bytes in binary messages.');
    const bytes = new ClientBytes(ws, onText);
    this.#stream.join(bytes);
    let error: unknown;
    try {
      const end = await this.#pass(ws, heartbeat);
      ws.close(end.code, end.reason);
    } catch (thrown) {
      if (ws.readyState === ws.OPEN) {
        error = thrown;
        const { code, reason } = closeOf(
          thrown instanceof ApiError ? thrown : new ApiError('internal', INTERNAL_MESSAGE),
        );
        ws.close(code, reason);
      }
    }
    // A client that is not read could not confirm the close.
    bytes.stop();
    ws.resume();
    const code = await closed;
    return { code, frames: 0, error };
  }

  leave(): void {
    if (this.#ws === undefined) this.hangUp();
    else this.#ws.close(1001, 'The service is stopping. Connect again.');
  }

  /** Ends the stream. Safe to call any number of times. */
  hangUp(): void {
    this.#stream.hangUp();
  }

  /** Sends the service's bytes until its stream ends, and returns the close that it asked for. */
  async #pass(ws: WebSocket, heartbeat: Heartbeat): Promise<{ code: number; reason: string }> {
    for (;;) {
      const message = await this.#stream.next();
      if (message === undefined) return { code: 1000, reason: '' };
      const piece = this.#form.write(message);
      if (!(piece instanceof Uint8Array)) return piece;
      this.#unsentBytes += piece.length;
      ws.send(piece, { binary: true }, () => {
        this.#unsentBytes -= piece.length;
        // A slow client may have megabytes of the system's buffers in front of a ping. That they drain shows that it reads.
        heartbeat.heard();
        this.#room.wake();
      });
      while (this.#unsentBytes >= MAX_UNSENT_BYTES && ws.readyState === ws.OPEN) await this.#room.wait();
    }
  }

  async *#messagesOf(bytes: ClientBytes): AsyncGenerator<Message, void, undefined> {
    for await (const piece of bytes) yield this.#form.read(piece);
  }
}
