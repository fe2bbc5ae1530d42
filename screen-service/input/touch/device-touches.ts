import type { AdbSocket } from '@yume-chan/adb';
import type { Call } from '../../../kit/call.js';
import { within } from '../../../kit/within.js';
import { encodeEvents, type EventBytes, type EvdevEvent } from '../../../phone/evdev/input-event.js';
import { phoneTimeout, phoneUnavailable } from '../../../phone/link/phone-errors.js';
import type { ReachedPhone } from '../../phones/reached-phone.js';
import { readRotation, type Rotation } from '../../app/rotation.js';
import type { TouchDevice } from './find-touch-device.js';
import { Slots } from './slot-events.js';
import type { Touch, TouchPath } from './touch-path.js';

/** How long a screen's orientation is taken as known, ms: the second tap of a double tap must not wait for another command. */
const ROTATION_KNOWN_MS = 500;

/** `tee` reads 4096 bytes at a time, and a device takes whole events only: this holds whole ones of either size. */
const BYTES_IN_ONE = 4080;

/** Writes that the phone may have yet to take; with more, touches wait. A finger that moves makes some 60 a second. */
const UNTAKEN_MOST = 32;

const DOING = 'take the input';

/** The touch device exists and yet does not take written events. */
export class DeviceRefused extends Error {
  override name = 'DeviceRefused';
}

/**
 * Touches written into the phone's own touch device, over one stream that is kept: several fingers, and no process for each event.
 * `tee` returns the written bytes, which shows that the device has taken it.
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

  async send(call: Pick<Call, 'signal'>, touches: readonly Touch[]): Promise<void> {
    if (this.#slots.used && this.#stream?.alive !== true) {
      await this.lift(call);
      throw phoneUnavailable('The connection to the phone broke while a finger was down, and it was lifted.');
    }
    const rotation = await this.#readRotation(call);
    const display = { ...this.#phone.phone.screen, rotation };
    const stream = await this.open(call);
    const events = touches.flatMap((touch) => this.#slots.of(touch, display));
    if (stream.untaken >= UNTAKEN_MOST) await this.taken(call);
    this.#write(stream, events);
  }

  async taken({ signal }: Pick<Call, 'signal'>): Promise<void> {
    const { clock, limits } = this.#phone;
    const stream = this.#stream;
    const timeoutMs = limits.commandTimeoutMs;
    const limit = { clock, timeoutMs, signals: [signal], onTimeout: () => phoneTimeout(DOING, timeoutMs) };
    try {
      await within(limit, async () => stream?.taken);
    } catch (error) {
      stream?.close();
      throw error;
    }
  }

  async lift(call: Pick<Call, 'signal'>): Promise<void> {
    if (this.#stream?.alive !== true) {
      await this.open(call);
      return;
    }
    this.#write(this.#stream, this.#slots.clear());
    await this.taken(call);
  }

  /** Opens the stream unless it is open, and lifts fingers that an earlier one may have left. Throws DeviceRefused. */
  async open(call: Pick<Call, 'signal'>): Promise<EchoStream> {
    if (this.#stream?.alive === true) return this.#stream;
    const { link, limits } = this.#phone;
    const options = { timeoutMs: limits.commandTimeoutMs, doing: DOING, signal: call.signal };
    const socket = await (await link.link()).socket(`exec:exec tee ${this.#device.path}`, options);
    const stream = new EchoStream(socket);
    this.#stream = stream;
    this.#write(stream, this.#slots.clear());
    await this.taken(call);
    return stream;
  }

  close(): void {
    this.#stream?.close();
  }

  #write(stream: EchoStream, events: readonly EvdevEvent[]): void {
    this.#phone.inputSentMs = this.#phone.clock.monotonicMs();
    const bytes = encodeEvents(events, this.#eventBytes);
    for (let at = 0; at < bytes.length; at += BYTES_IN_ONE) stream.write(bytes.subarray(at, at + BYTES_IN_ONE));
  }

  /** How the display is turned. Looked up when the first finger goes down; it does not matter to a finger that is on its way. */
  async #readRotation(call: Pick<Call, 'signal'>): Promise<Rotation> {
    const nowMs = this.#phone.clock.monotonicMs();
    const known = this.#rotation;
    if (known !== undefined && (this.#slots.used || nowMs - known.readMs < ROTATION_KNOWN_MS)) return known.turns;
    // A phone that does not report it is taken to be upright.
    const turns = (await readRotation(call, this.#phone)) ?? 0;
    this.#rotation = { turns, readMs: nowMs };
    return turns;
  }
}

/** Bytes on their way to the phone. */
interface Write {
  /** The part that was not returned yet. */
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

  /** Writes after what was written before. */
  write(bytes: Buffer): void {
    const ended = this.#ended;
    this.#last = new Promise<void>((resolve, reject) => {
      if (ended === undefined) this.#writes.push({ rest: bytes, resolve, reject });
      else reject(ended);
    });
    // Nobody may wait for it.
    this.#last.catch(() => undefined);
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
