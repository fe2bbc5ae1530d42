/** One event of a Linux input device: `struct input_event` without its time. */
export interface EvdevEvent {
  type: number;
  code: number;
  value: number;
}

/** Bytes of one event, by the size of the writing program's longs. The event begins with its time, which is two longs. */
export const EVENT_BYTES = { bits64: 24, bits32: 16 } as const;

export type EventBytes = (typeof EVENT_BYTES)[keyof typeof EVENT_BYTES];

/**
 * Returns the events as a program writes them into `/dev/input/event*`. The time is left 0: the kernel puts in its own.
 */
export function encodeEvents(events: readonly EvdevEvent[], eventBytes: EventBytes): Buffer {
  const bytes = Buffer.alloc(events.length * eventBytes);
  events.forEach(({ type, code, value }, index) => {
    const at = (index + 1) * eventBytes - 8;
    bytes.writeUInt16LE(type, at);
    bytes.writeUInt16LE(code, at + 2);
    bytes.writeInt32LE(value, at + 4);
  });
  return bytes;
}

/** Decodes the whole events of `bytes`. An incomplete event at the end is ignored. */
export function decodeEvents(bytes: Buffer, eventBytes: EventBytes): EvdevEvent[] {
  return Array.from({ length: Math.floor(bytes.length / eventBytes) }, (_, index) => {
    const at = (index + 1) * eventBytes - 8;
    return { type: bytes.readUInt16LE(at), code: bytes.readUInt16LE(at + 2), value: bytes.readInt32LE(at + 4) };
  });
}
