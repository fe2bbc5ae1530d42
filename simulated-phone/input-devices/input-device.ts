import { encodeEvents, decodeEvents, EVENT_BYTES, type EvdevEvent } from '../../phone/evdev/input-event.js';
import { PhoneFileError } from '../files/file-error.js';
import type { ReadHandle, WriteHandle } from '../files/file-handles.js';
import { Mailbox } from '../streams/mailbox.js';

/** An input device as `getevent -p` describes it. */
export interface InputDeviceFacts {
  path: string;
  name: string;
  keys: readonly number[];
  axes: ReadonlyMap<number, { min: number; max: number }>;
  /** Whether the device lies on the display, as a touch screen does. */
  direct: boolean;
}

/** Most readers of one device. When another one is opened, the oldest is closed. */
const MAX_READERS = 32;

/** Most events that wait for a slow reader; the oldest are dropped. */
const MAX_WAITING = 1024;

/** A device of `/dev/input/event*`: written events act on the phone, and go to all readers. */
export class InputDevice {
  readonly facts: InputDeviceFacts;
  readonly #act: (event: EvdevEvent) => void;
  readonly #readers = new Set<EventReader>();

  /** `act` is called with each event that is written. */
  constructor(facts: InputDeviceFacts, act: (event: EvdevEvent) => void) {
    this.facts = facts;
    this.#act = act;
  }

  /** Takes events. Throws EINVAL, as Linux does, if the last event is not whole; the events before it are taken. */
  write(bytes: Buffer): void {
    for (const event of decodeEvents(bytes, EVENT_BYTES.bits64)) {
      this.#act(event);
      for (const reader of this.#readers) reader.add(event);
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
        const events = await reader.take();
        return events && encodeEvents(events, EVENT_BYTES.bits64);
      },
      close: async () => reader.close(),
    };
  }

  /** Opens a reader of the events from now on. The opener closes it. */
  events(): EventReader {
    const [oldest] = this.#readers;
    if (oldest && this.#readers.size >= MAX_READERS) oldest.close();
    const reader = new EventReader(MAX_WAITING, () => this.#readers.delete(reader));
    this.#readers.add(reader);
    return reader;
  }
}

/** The events of a device as they come. */
class EventReader extends Mailbox<EvdevEvent> {
  readonly #onClose: () => void;

  constructor(most: number, onClose: () => void) {
    super(most);
    this.#onClose = onClose;
  }

  override close(): void {
    super.close();
    this.#onClose();
  }
}
