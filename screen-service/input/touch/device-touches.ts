import { begunAhead } from '../../../kit/async/begun-ahead.js';
import type { AdbSocket } from '@yume-chan/adb';
import type { Call } from '../../../kit/call/call.js';
import { within } from '../../../kit/async/within.js';
import { encodeEvents, type EventBytes, type EvdevEvent } from '../../../phone/evdev/input-event.js';
import { phoneUnavailable } from '../../../phone/link/phone-errors.js';
import type { ReachedPhone } from '../../link/reached-phone.js';
import { readRotation, type Rotation } from '../../display/rotation.js';
import { inputLimit, TAKE_INPUT } from '../input-limit.js';
import type { TouchDevice } from './find-touch-device.js';
import { Slots } from './slot-events.js';
import type { Touch } from '../../shapes/touch.js';
import type { TouchPath } from './touch-path.js';

/** How long a screen's orientation is taken as known, ms: the second tap of a double tap must not wait for another command. */
const ROTATION_KNOWN_MS = 500;

/**
 * Most bytes of one write. `tee` reads 4096 bytes at a time, and a device takes whole events only. Both sizes of events divide 4080 evenly.
 */
const BYTES_IN_ONE = 4080;

/** With this many writes that the phone has not taken yet, touches wait. A finger that moves makes some 60 a second. */
const MAX_UNTAKEN = 32;

/** The error for a touch device that exists, but does not take written events. */
export class DeviceRefused extends Error {
  override name = 'DeviceRefused';
}

/**
 * Writes touches into the phone's own touch device, over one stream that is kept. This allows several fingers, and starts no process for
 * each event. `tee` returns the written bytes, which shows that the device has taken them.
 */
export class DeviceTouches implements TouchPath {
  readonly #phone: ReachedPhone;
  readonly #device: TouchDevice;
  readonly #eventBytes: EventBytes;
  readonly #slots: Slots;
  #stream: EchoStream | undefined;
  #rotation: { turns: Rotation; readMs: number } | undefined;

  constructor(phone: ReachedPhone, device: TouchDevice, eventBytes: EventBytes) {
    this.#phone = phone;
    this.#device = device;
    this.#eventBytes = eventBytes;
    this.#slots = new Slots(device);
  }

  get most(): number {
    return this.#slots.most;
  }

  async send(call: Pick<Call, 'signal' | 'sender'>, touches: readonly Touch[]): Promise<void> {
    if (this.#slots.used && this.#stream?.alive !== true) {
      await this.lift(call);
      throw phoneUnavailable('The connection to the phone broke while a finger was down, and it was lifted.');
    }
    const rotation = await this.#readRotation(call);
    const display = { ...this.#phone.phone.screen, rotation };
    const stream = await this.open(call);
    const events = touches.flatMap((touch) => this.#slots.of(touch, display));
    if (stream.untaken >= MAX_UNTAKEN) await this.taken(call);
    this.#write(call, stream, events);
  }

  async taken(call: Pick<Call, 'signal' | 'sender'>): Promise<void> {
    const stream = this.#stream;
    try {
      await within(inputLimit(this.#phone, call), async () => stream?.taken);
    } catch (error) {
      stream?.close();
      throw error;
    }
  }

  async lift(call: Pick<Call, 'signal' | 'sender'>): Promise<void> {
    if (this.#stream?.alive !== true) {
      await this.open(call);
      return;
    }
    this.#write(call, this.#stream, this.#slots.clear());
    await this.taken(call);
  }

  /** Opens the stream unless it is open, and lifts fingers that an earlier stream may have left. Throws DeviceRefused. */
  async open(call: Pick<Call, 'signal' | 'sender'>): Promise<EchoStream> {
    if (this.#stream?.alive === true) return this.#stream;
    const { link, limits } = this.#phone;
    const options = { timeoutMs: limits.commandTimeoutMs, doing: TAKE_INPUT, signal: call.signal };
    const socket = await (await link.link()).socket(`exec:exec tee ${this.#device.path}`, options);
    const stream = new EchoStream(socket);
    this.#stream = stream;
    this.#write(call, stream, this.#slots.clear());
    await this.taken(call);
    return stream;
  }

  close(): void {
    this.#stream?.close();
  }

  #write({ sender }: Pick<Call, 'sender'>, stream: EchoStream, events: readonly EvdevEvent[]): void {
    this.#phone.inputs.begin(sender);
    const bytes = encodeEvents(events, this.#eventBytes);
    for (let at = 0; at < bytes.length; at += BYTES_IN_ONE) stream.write(bytes.subarray(at, at + BYTES_IN_ONE));
  }

  /**
   * Returns how the display is turned. It is looked up when the first finger goes down, and does not matter to a finger that is on its way.
   */
  async #readRotation(call: Pick<Call, 'signal' | 'sender'>): Promise<Rotation> {
    const nowMs = this.#phone.clock.monotonicMs();
    const known = this.#rotation;
    if (known !== undefined && (this.#slots.used || nowMs - known.readMs < ROTATION_KNOWN_MS)) return known.turns;
    // A phone that does not report its rotation is taken to be upright.
    const turns = (await readRotation(call, this.#phone)) ?? 0;
    this.#rotation = { turns, readMs: nowMs };
    return turns;
  }
}

/** Bytes on their way to the phone. */
interface Write {
  /** The part of the bytes that was not returned yet. */
  rest: Buffer;
  resolve: () => void;
  reject: (error: Error) => void;
}

/** A stream whose other end returns every byte that it has taken. */
class EchoStream {
  readonly #socket: AdbSocket;
  readonly #writer;
  readonly #writes: Write[] = [];
  #last: Promise<void> = Promise.resolve();
  #ended: Error | undefined;

  constructor(socket: AdbSocket) {
    this.#socket = socket;
    this.#writer = socket.writable.getWriter();
    this.#read().then(
      () => this.#end(phoneUnavailable('The phone ended its input.')),
      (error: unknown) => this.#end(error instanceof DeviceRefused ? error : phoneUnavailable('The phone broke off.')),
    );
  }

  get alive(): boolean {
    return this.#ended === undefined;
  }

  /** Writes that were not returned yet. */
  get untaken(): number {
    return this.#writes.length;
  }

  /** Resolves when all that was written has been returned. */
  get taken(): Promise<void> {
    return this.#last;
  }

  /** Writes bytes after those that were written before. */
  write(bytes: Buffer): void {
    const ended = this.#ended;
    this.#last = begunAhead(
      new Promise<void>((resolve, reject) => {
        if (ended === undefined) this.#writes.push({ rest: bytes, resolve, reject });
        else reject(ended);
      }),
    );
    if (ended !== undefined) return;
    this.#writer.write(bytes).catch(() => this.#end(phoneUnavailable('The phone broke off.')));
  }

  close(): void {
    this.#end(phoneUnavailable('The phone’s input was closed.'));
    void Promise.resolve(this.#socket.close()).catch(() => undefined);
  }

  async #read(): Promise<void> {
    const reader = this.#socket.readable.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) this.#take(Buffer.from(part.value));
  }

  /** Output that differs from the sent bytes is an error text: `tee: /dev/input/event2: Permission denied`. */
  #take(bytes: Buffer): void {
    for (let left = bytes; left.length > 0;) {
      const [first] = this.#writes;
      const length = Math.min(left.length, first?.rest.length ?? 0);
      if (!first || !left.subarray(0, length).equals(first.rest.subarray(0, length))) {
        throw new DeviceRefused(bytes.toString('latin1').slice(0, 200));
      }
      left = left.subarray(length);
      first.rest = first.rest.subarray(length);
      if (first.rest.length > 0) continue;
      this.#writes.shift();
      first.resolve();
    }
  }

  #end(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#writes.splice(0)) reject(this.#ended);
  }
}
