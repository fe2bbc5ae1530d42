import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Clock, Timer } from '../../kit/clock.js';
import type { SocketFrame } from '../../proto/gen/cloudphone/api/v1/route_pb.js';

/** How often a ping goes out when nothing else does, ms; and how long a client may show no sign of life. */
const PING_EVERY_MS = 15_000;
const SILENT_MOST_MS = 45_000;

/** Frames under way that the client has not confirmed: so many always, more while the oldest is not late by this, ms, up to a bound. */
const UNCONFIRMED = 2;
const UNCONFIRMED_MOST = 32;
const LATE_MS = 100;

/** Texts that wait; with more, no input is taken. */
const TEXTS_MOST = 16;

const HEADER_BYTES = 8;

/**
 * The sending side of a WebSocket. Texts go out in order; of pictures, the newest only, once the client has room for it; of a video, every
 * access unit, whose sender waits for room.
 *
 * A connection's own buffers hold seconds of pictures, on both sides and on the way, and the bytes that the socket has accepted do not
 * measure them. So a ping with the frame's number follows each frame, and its pong confirms that the client has read so far. A frame waits
 * while earlier ones are late compared with the quickest confirmation: then they are queued somewhere.
 */
export class ClientSocket {
  readonly #ws: WebSocket;
  readonly #connection: Pick<Socket, 'cork' | 'uncork'>;
  readonly #clock: Clock;
  readonly #sentMs = new Map<number, number>();
  readonly #texts: string[] = [];
  #newest: SocketFrame | undefined;
  /** How many of the texts go before the newest frame. */
  #before = 0;
  #writing: 'text' | 'frame' | undefined;
  /** Undefined before the first confirmation. */
  #quickestMs: number | undefined;
  #heardMs: number;
  #timer: Timer;
  #onRoom: (() => void)[] = [];
  #onUnitRoom: (() => void)[] = [];
  /** Frames that were sent. */
  frames = 0;

  /** `connection`: the socket that the WebSocket runs over. */
  constructor(ws: WebSocket, connection: Pick<Socket, 'cork' | 'uncork'>, clock: Clock) {
    this.#ws = ws;
    this.#connection = connection;
    this.#clock = clock;
    this.#heardMs = clock.monotonicMs();
    ws.on('pong', (data) => this.#confirm(data));
    for (const event of ['message', 'ping', 'pong'] as const) ws.on(event, () => (this.#heardMs = clock.monotonicMs()));
    this.#timer = clock.after(PING_EVERY_MS, () => this.#keepAlive());
    ws.once('close', () => {
      this.#timer.cancel();
      this.#newest = undefined;
      this.#makeRoom();
      this.#makeUnitRoom();
    });
  }

  /** Frames held here: one that is being written, and the newest. */
  get queued(): number {
    return (this.#writing === 'frame' ? 1 : 0) + (this.#newest === undefined ? 0 : 1);
  }

  /** Sends a text, after the texts and frames given before it; newer frames replace waiting ones. */
  text(text: string): void {
    this.#texts.push(text);
    this.#send();
  }

  /** Sends a frame, or a newer one in its place. */
  frame(frame: SocketFrame): void {
    this.#newest = frame;
    this.#before = this.#texts.length;
    this.#send();
  }

  /** Sends an access unit of a video, and resolves when there is room for the next one, or the connection is closed. */
  async unit(frame: SocketFrame): Promise<void> {
    this.frame(frame);
    while (this.#isOpen && (this.#newest !== undefined || !this.#hasRoom())) {
      await new Promise<void>((resolve) => this.#onUnitRoom.push(resolve));
    }
  }

  /** Resolves when few texts wait, or the connection is closed: code that makes more of them waits for this. */
  async room(): Promise<void> {
    while (this.#texts.length >= TEXTS_MOST && this.#isOpen) {
      await new Promise<void>((resolve) => this.#onRoom.push(resolve));
    }
  }

  /** Closes after all that was sent, and after `text`; a frame that waits is dropped. */
  close(code: number, reason: string, text?: string): void {
    this.#newest = undefined;
    if (text !== undefined && this.#isOpen) this.#ws.send(text);
    this.#ws.close(code, reason);
  }

  get #isOpen(): boolean {
    return this.#ws.readyState === this.#ws.OPEN;
  }

  #send(): void {
    if (this.#writing !== undefined || !this.#isOpen) return;
    if (this.#newest === undefined || this.#before > 0) this.#sendText();
    else if (this.#hasRoom()) this.#sendFrame(this.#newest);
  }

  #sendText(): void {
    const text = this.#texts.shift();
    if (text === undefined) return;
    this.#before = Math.max(0, this.#before - 1);
    this.#writing = 'text';
    this.#ws.send(text, () => this.#written());
  }

  #sendFrame({ number, capturedMs, data, flags }: SocketFrame): void {
    this.#newest = undefined;
    this.#writing = 'frame';
    this.frames++;
    const headerBytes = flags === undefined ? HEADER_BYTES : HEADER_BYTES + 1;
    const message = Buffer.allocUnsafe(headerBytes + data.length);
    message.writeUInt32BE(number, 0);
    message.writeUInt32BE(capturedMs, 4);
    if (flags !== undefined) message.writeUInt8(flags, HEADER_BYTES);
    message.set(data, headerBytes);
    this.#sentMs.set(number, this.#clock.monotonicMs());
    // In one write.
    this.#connection.cork();
    this.#ws.send(message, { binary: true });
    this.#ws.ping(message.subarray(0, 4), false, () => this.#written());
    this.#connection.uncork();
  }

  #written(): void {
    this.#writing = undefined;
    if (this.#texts.length < TEXTS_MOST) this.#makeRoom();
    this.#send();
    this.#makeUnitRoom();
  }

  #hasRoom(): boolean {
    const { size } = this.#sentMs;
    if (size < UNCONFIRMED) return true;
    const [oldestMs = 0] = this.#sentMs.values();
    return size < UNCONFIRMED_MOST && this.#clock.monotonicMs() - oldestMs < (this.#quickestMs ?? 0) + LATE_MS;
  }

  #confirm(data: Buffer): void {
    if (data.length !== 4) return;
    const confirmed = data.readUInt32BE(0);
    for (const [number, sentMs] of this.#sentMs) {
      if (number > confirmed) break;
      this.#sentMs.delete(number);
      if (number !== confirmed) continue;
      this.#quickestMs = Math.min(this.#quickestMs ?? Infinity, this.#clock.monotonicMs() - sentMs);
    }
    this.#send();
    this.#makeUnitRoom();
  }

  #makeUnitRoom(): void {
    for (const resolve of this.#onUnitRoom.splice(0)) resolve();
  }

  #makeRoom(): void {
    for (const resolve of this.#onRoom.splice(0)) resolve();
  }

  #keepAlive(): void {
    // A client that we do not read from, as its input waits, is not silent.
    if (!this.#ws.isPaused && this.#clock.monotonicMs() - this.#heardMs > SILENT_MOST_MS) {
      this.#ws.terminate();
      return;
    }
    if (this.#isOpen) this.#ws.ping();
    this.#timer = this.#clock.after(PING_EVERY_MS, () => this.#keepAlive());
  }
}
