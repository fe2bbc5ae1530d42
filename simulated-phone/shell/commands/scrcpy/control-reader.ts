import { StreamReader } from '../../../streams/stream-reader.js';
import type { ByteSource } from '../../../streams/pipe.js';

/** A message of a client. Messages for extra input devices, such as keyboards, are not known here. */
export type ControlMessage =
  | { type: 'key'; action: number; code: number }
  | { type: 'text'; text: string }
  | { type: 'touch'; action: number; pointer: bigint; x: number; y: number; width: number; height: number }
  | { type: 'back'; action: number }
  | { type: 'panel'; isOpen: boolean }
  | { type: 'get-clipboard' }
  | { type: 'set-clipboard'; sequence: bigint; isPasted: boolean; text: string }
  | { type: 'rotate' | 'reset-video' | 'ignored' };

/** Largest message, bytes, as in the real server. */
const MAX_MESSAGE_BYTES = 1 << 18;
const MAX_TEXT_BYTES = 300;

/** Reads the client's messages one after the other. */
export class ControlReader {
  readonly #stream: StreamReader;

  constructor(source: ByteSource) {
    this.#stream = new StreamReader(source);
  }

  /** Reads the next message; undefined at the end. Throws for an unknown message. */
  async next(): Promise<ControlMessage | undefined> {
    const [type] = (await this.#stream.exactly(1)) ?? [];
    return type === undefined ? undefined : this.#read(type);
  }

  async #read(type: number): Promise<ControlMessage | undefined> {
    switch (type) {
      case 0: {
        const fields = await this.#stream.exactly(13);
        return fields && { type: 'key', action: fields.readUInt8(0), code: fields.readUInt32BE(1) };
      }
      case 1: {
        const text = await this.#text(MAX_TEXT_BYTES);
        return text === undefined ? undefined : { type: 'text', text };
      }
      case 2: {
        const fields = await this.#stream.exactly(31);
        return (
          fields && {
            type: 'touch',
            action: fields.readUInt8(0),
            pointer: fields.readBigUInt64BE(1),
            x: fields.readInt32BE(9),
            y: fields.readInt32BE(13),
            width: fields.readUInt16BE(17),
            height: fields.readUInt16BE(19),
          }
        );
      }
      case 3:
        return (await this.#stream.exactly(20)) && { type: 'ignored' };
      case 4: {
        const fields = await this.#stream.exactly(1);
        return fields && { type: 'back', action: fields.readUInt8(0) };
      }
      case 5:
      case 6:
        return { type: 'panel', isOpen: true };
      case 7:
        return { type: 'panel', isOpen: false };
      case 8:
        return (await this.#stream.exactly(1)) && { type: 'get-clipboard' };
      case 9: {
        const fields = await this.#stream.exactly(9);
        const text = await this.#text(MAX_MESSAGE_BYTES);
        if (fields === undefined || text === undefined) return undefined;
        return { type: 'set-clipboard', sequence: fields.readBigUInt64BE(0), isPasted: fields.readUInt8(8) !== 0, text }; // prettier-ignore
      }
      case 10:
        return (await this.#stream.exactly(1)) && { type: 'ignored' };
      case 11:
        return { type: 'rotate' };
      case 17:
        return { type: 'reset-video' };
      default:
        throw new Error(`Unknown event type: ${type}`);
    }
  }

  async #text(maxBytes: number): Promise<string | undefined> {
    const size = (await this.#stream.exactly(4))?.readUInt32BE(0);
    if (size === undefined) return undefined;
    if (size > maxBytes) throw new Error(`Unexpected length: ${size}`);
    return (await this.#stream.exactly(size))?.toString('utf8');
  }
}
