import { encodeEvents, decodeEvents, EVENT_BYTES, type EvdevEvent } from '../../phone/evdev/input-event.js';
import { PhoneFileError } from '../files/file-error.js';
import type { ReadHandle, WriteHandle } from '../files/file-handles.js';
import { Mailbox } from '../mailbox.js';

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

/** One of `/dev/input/event*`: written events act on the phone, and go to all readers. */
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

  /** The events from now on. The opener closes it. */
  events(): EventReader {
    const [oldest] = this.#readers;
    if (oldest && this.#readers.size >= READERS_MOST) oldest.close();
    const reader = new EventReader(WAITING_MOST, () => this.#readers.delete(reader));
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
