import { encodeEvents, decodeEvents, EVENT_BYTES, type EvdevEvent } from '../../evdev/input-event.js';
import { PhoneFileError } from '../files/file-error.js';
import type { ReadHandle, WriteHandle } from '../files/file-handles.js';

/** An input device as `getevent -p` describes it. */
export interface InputDeviceFacts {
  path: string;
  name: string;
  keys: readonly number[];
  axes: ReadonlyMap<number, { min: number; max: number }>;
  /** Whether it lies on the display. */
  direct: boolean;
}

/** Readers of one device; the oldest is closed for another. */
const READERS_MOST = 32;

/** Events that wait for a slow reader; the oldest are dropped. */
const WAITING_MOST = 1024;

/** One of `/dev/input/event*`: what is written acts on the phone, and is seen by all that read. */
export class InputDevice {
  readonly facts: InputDeviceFacts;
  readonly #act: (event: EvdevEvent) => void;
  readonly #readers = new Set<EventReader>();

  /** `act` is called with each event that is written. */
  constructor(facts: InputDeviceFacts, act: (event: EvdevEvent) => void) {
    this.facts = facts;
    this.#act = act;
  }

  /** Takes whole events; throws EINVAL, as Linux does, for the rest of one. */
  write(bytes: Buffer): void {
    for (const event of decodeEvents(bytes, EVENT_BYTES.bits64)) {
      this.#act(event);
      for (const reader of this.#readers) reader.push(event);
    }
    if (bytes.length % EVENT_BYTES.bits64 !== 0) throw new PhoneFileError('EINVAL', this.facts.path);
  }

  openWrite(): WriteHandle {
    return {
      write: async (bytes) => this.write(Buffer.from(bytes)),
      close: async () => undefined,
    };
  }

  openRead(): ReadHandle {
    const reader = this.events();
    return {
      sizeBytes: 0,
      read: async () => {
        const events = await reader.next();
        return events && encodeEvents(events, EVENT_BYTES.bits64);
      },
      close: async () => reader.close(),
    };
  }

  /** The events from now on. The opener closes it. */
  events(): EventReader {
    const [oldest] = this.#readers;
    if (oldest && this.#readers.size >= READERS_MOST) oldest.close();
    const reader = new EventReader(() => void this.#readers.delete(reader));
    this.#readers.add(reader);
    return reader;
  }
}

/** Reads the events of a device as they come. */
export class EventReader {
  readonly #onClose: () => void;
  #waiting: EvdevEvent[] = [];
  #wake: (() => void) | undefined;
  #closed = false;

  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  push(event: EvdevEvent): void {
    if (this.#waiting.length >= WAITING_MOST) this.#waiting.shift();
    this.#waiting.push(event);
    this.#wake?.();
  }

  /** Resolves with those that have come since the last call, at least one; undefined once it is closed. */
  async next(): Promise<EvdevEvent[] | undefined> {
    while (this.#waiting.length === 0 && !this.#closed) await new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#closed) return undefined;
    const events = this.#waiting;
    this.#waiting = [];
    return events;
  }

  close(): void {
    this.#closed = true;
    this.#onClose();
    this.#wake?.();
  }
}
