import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Clock, Timer } from '../../kit/async/clock.js';
import { WakeSignal } from '../../kit/async/wake-signal.js';
import type { SocketFrame } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { Heartbeat } from './heartbeat.js';

/**
 * How often pings are sent after a message of the client, and for how long after the last one, ms. The client may have left a state that
 * concerns others, such as a finger on a screen.
 */
const INPUT_PING_EVERY_MS = 1_000;
const AFTER_INPUT_MS = 30_000;
/** How long such a ping may have no response before the client counts as silent, ms. */
const MAX_UNANSWERED_MS = 3_000;

/**
 * How many frames the client may have yet to confirm. Below `UNCONFIRMED`, a further frame is sent in any case. Below `MAX_UNCONFIRMED`, it
 * is sent while the oldest is at most `LATE_MS` slower than the quickest confirmation.
 */
const UNCONFIRMED = 2;
const MAX_UNCONFIRMED = 32;
const LATE_MS = 100;

/** At this number of waiting texts, `room` no longer resolves at once. */
const MAX_TEXTS = 16;

const HEADER_BYTES = 8;

/**
 * Sends texts and frames over a WebSocket. Texts are sent in order. Only the newest of several waiting pictures is sent, once the client
 * has room for it. Every access unit of a video is sent, as its sender waits for room.
 *
 * The buffers of a connection, on both sides and on the way, hold seconds of pictures. The number of bytes that the socket has accepted
 * does not show how full they are. So a ping with the frame's number follows each frame, and the pong confirms that the client has read the
 * frame. A frame waits while earlier confirmations are much slower than the quickest one, as the frames are then in some buffer.
 */
export class ClientSocket {
  readonly #ws: WebSocket;
  readonly #connection: Pick<Socket, 'cork' | 'uncork'>;
  readonly #clock: Clock;
  readonly #sentMs = new Map<number, number>();
  readonly #texts: string[] = [];
  #newest: SocketFrame | undefined;
  /** How many of the waiting texts are sent before the newest frame. */
  #before = 0;
  #writing: 'text' | 'frame' | undefined;
  /** The quickest confirmation, ms; undefined before the first one. */
  #quickestMs: number | undefined;
  readonly #heartbeat: Heartbeat;
  #lastInputMs = -Infinity;
  #inputTimer: Timer | undefined;
  readonly #onSilence: () => void;
  readonly #room = new WakeSignal();
  readonly #unitRoom = new WakeSignal();
  /** Frames that were sent. */
  frames = 0;

  /**
   * `connection` is the socket over which the WebSocket runs. `onSilence` is called when the client sent a message and then does not
   * respond to a ping within 3 s.
   */
  constructor(
    ws: WebSocket,
    connection: Pick<Socket, 'cork' | 'uncork'>,
    { clock, onSilence }: { clock: Clock; onSilence: () => void },
  ) {
    this.#ws = ws;
    this.#onSilence = onSilence;
    this.#connection = connection;
    this.#clock = clock;
    this.#heartbeat = new Heartbeat(ws, clock);
    ws.on('pong', (data) => this.#confirm(data));
    ws.on('message', () => this.#awaitInput());
    ws.once('close', () => {
      this.#inputTimer?.cancel();
      this.#newest = undefined;
      this.#room.wake();
      this.#unitRoom.wake();
    });
  }

  /** How many frames are held here: one that is being written, and the newest. */
  get queued(): number {
    return (this.#writing === 'frame' ? 1 : 0) + (this.#newest === undefined ? 0 : 1);
  }

  /** Sends a text, after the texts and frames given before it. A newer frame replaces a waiting one. */
  text(text: string): void {
    this.#texts.push(text);
    this.#send();
  }

  /** Sends a frame; a newer frame replaces it while it waits. */
  frame(frame: SocketFrame): void {
    this.#newest = frame;
    this.#before = this.#texts.length;
    this.#send();
  }

  /** Sends an access unit of a video, and resolves when there is room for the next one, or the connection is closed. */
  async unit(frame: SocketFrame): Promise<void> {
    this.frame(frame);
    while (this.#isOpen && (this.#newest !== undefined || !this.#hasRoom())) {
      await this.#unitRoom.wait();
    }
  }

  /** Resolves when fewer than `MAX_TEXTS` texts wait, or the connection is closed. Code that makes further texts waits for this. */
  async room(): Promise<void> {
    while (this.#texts.length >= MAX_TEXTS && this.#isOpen) {
      await this.#room.wait();
    }
  }

  /** Closes the WebSocket after everything that was sent, and after `text`; a frame that waits is dropped. */
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
    // Both are sent in one write.
    this.#connection.cork();
    this.#ws.send(message, { binary: true });
    this.#ws.ping(message.subarray(0, 4), false, () => this.#written());
    this.#connection.uncork();
  }

  #written(): void {
    this.#writing = undefined;
    if (this.#texts.length < MAX_TEXTS) this.#room.wake();
    this.#send();
    this.#unitRoom.wake();
  }

  #hasRoom(): boolean {
    const { size } = this.#sentMs;
    if (size < UNCONFIRMED) return true;
    const [oldestMs = 0] = this.#sentMs.values();
    return size < MAX_UNCONFIRMED && this.#clock.monotonicMs() - oldestMs < (this.#quickestMs ?? 0) + LATE_MS;
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
    this.#unitRoom.wake();
  }

  #awaitInput(): void {
    this.#lastInputMs = this.#clock.monotonicMs();
    this.#inputTimer ??= this.#clock.after(INPUT_PING_EVERY_MS, () => this.#pingAfterInput());
  }

  #pingAfterInput(): void {
    const pingedMs = this.#clock.monotonicMs();
    if (!this.#isOpen || pingedMs - this.#lastInputMs > AFTER_INPUT_MS) {
      this.#inputTimer = undefined;
      return;
    }
    this.#ws.ping();
    const check = (): void => {
      // While nothing is read from the client, its responses are not seen either, so it does not count as silent.
      const isSilent = this.#heartbeat.heardMs <= pingedMs && !this.#ws.isPaused;
      const leftMs = pingedMs + MAX_UNANSWERED_MS - this.#clock.monotonicMs();
      if (!isSilent) {
        this.#pingAfterInput();
      } else if (leftMs > 0) {
        this.#inputTimer = this.#clock.after(Math.min(INPUT_PING_EVERY_MS, leftMs), check);
      } else {
        this.#inputTimer = undefined;
        this.#onSilence();
      }
    };
    this.#inputTimer = this.#clock.after(INPUT_PING_EVERY_MS, check);
  }
}
