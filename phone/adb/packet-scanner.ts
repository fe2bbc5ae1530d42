import { readHeader } from './packet-parser.js';
import { HEADER_BYTES, type Packet, type PacketHeader } from './packet.js';

/**
 * Follows a byte stream by its packet headers alone, for a relay between two peers. Forwarded payloads are handed on as the chunks they
 * came in (views, no copies). Neighbours are joined, so most chunks go out as they came.
 *
 * `push` throws MalformedPacket. The scanner must not be used after that: a broken peer can only be disconnected.
 */
export class PacketScanner {
  readonly #sink: PacketSink;
  readonly #headerBytes = Buffer.alloc(HEADER_BYTES);
  #headerFilled = 0;
  #header: PacketHeader | undefined;
  #route: Route = 'drop';
  #left = 0;
  #gathered: Buffer | undefined;
  #stopped = false;
  /** The work that this call of `push` has done so far. */
  #work = 0;

  constructor(sink: PacketSink) {
    this.#sink = sink;
  }

  /**
   * Handles the packets of `chunk`, or only the first of them when all would take more than `maxWork`. Returns the bytes that are left,
   * which the next call must begin with, and the work that was done.
   */
  push(chunk: Buffer, maxWork = Infinity): { rest: Buffer; work: number } {
    this.#work = 0;
    // The bytes [passFrom, at) of this chunk are to be handed on in one piece.
    let passFrom = 0;
    let at = 0;
    const pass = (end: number, endsPacket = true): void => {
      if (end > passFrom) this.#sink.pass(chunk.subarray(passFrom, end), endsPacket);
    };
    while (at < chunk.length || (this.#header && this.#left === 0)) {
      if (this.#stopped) return { rest: NO_BYTES, work: this.#work };
      if (this.#work >= maxWork && (!this.#header || this.#left > 0)) break;
      if (!this.#header) {
        const headerFrom = at;
        const whole = this.#headerFilled === 0 && chunk.length - at >= HEADER_BYTES;
        if (!whole) {
          at += chunk.copy(this.#headerBytes, this.#headerFilled, at, at + HEADER_BYTES - this.#headerFilled);
          this.#headerFilled += at - headerFrom;
          if (this.#headerFilled < HEADER_BYTES) {
            pass(headerFrom);
            return { rest: NO_BYTES, work: this.#work };
          }
          this.#headerFilled = 0;
        } else {
          at += HEADER_BYTES;
        }
        this.#header = whole ? readHeader(chunk, headerFrom) : readHeader(this.#headerBytes, 0);
        this.#route = this.#sink.route(this.#header);
        this.#left = this.#header.length;
        this.#work += WORK[this.#route].packet;
        const goesOn = this.#route === 'forward' || this.#route === 'watch';
        if (!goesOn) {
          pass(headerFrom);
          passFrom = at;
        } else if (!whole) {
          pass(headerFrom);
          this.#sink.pass(Buffer.from(this.#headerBytes), this.#left === 0);
          passFrom = at;
        }
        continue;
      }
      const perByte = WORK[this.#route].byte;
      // The number is rounded up, so that each call handles at least one byte.
      const maxBytes = perByte === 0 ? Infinity : Math.ceil(Math.max(0, maxWork - this.#work) / perByte);
      const bytes = chunk.subarray(at, at + Math.min(this.#left, maxBytes));
      this.#work += bytes.length * perByte;
      at += bytes.length;
      this.#left -= bytes.length;
      if (this.#route === 'forward') {
        if (this.#left === 0) this.#header = undefined;
        continue;
      }
      if (this.#route === 'watch') {
        // The piece is shown before it is sent. Its effects come after it was sent: see `end`.
        if (bytes.length > 0) this.#sink.piece(this.#header, bytes);
        if (this.#left === 0) {
          pass(at);
          passFrom = at;
          this.#finish();
        }
        continue;
      }
      if (this.#route === 'take') {
        if (bytes.length > 0) this.#sink.piece(this.#header, bytes);
      } else if (this.#route === 'gather') {
        this.#gather(bytes, this.#header.length);
      }
      passFrom = at;
      if (this.#left === 0) this.#finish();
    }
    pass(at, !this.#header);
    return { rest: chunk.subarray(at), work: this.#work };
  }

  /** Adds work that the current packet took beyond the work for its size. The sink calls it while it handles a packet. */
  charge(work: number): void {
    this.#work += work;
  }

  /** Stops the scanner. Nothing more is handed to the sink, not even the rest of the current chunk. */
  stop(): void {
    this.#stopped = true;
    this.#gathered = undefined;
  }

  #gather(bytes: Buffer, length: number): void {
    if (bytes.length === length) {
      this.#gathered = bytes;
      return;
    }
    this.#gathered ??= Buffer.allocUnsafe(length);
    bytes.copy(this.#gathered, length - this.#left - bytes.length);
  }

  #finish(): void {
    const header = this.#header;
    const payload = this.#gathered ?? NO_BYTES;
    this.#header = undefined;
    this.#gathered = undefined;
    if (!header) return;
    if (this.#route === 'gather') {
      this.#sink.packet({ command: header.command, arg0: header.arg0, arg1: header.arg1, payload });
    } else if (this.#route !== 'drop') {
      this.#sink.end(header);
    }
  }
}

/**
 * The handling of a packet. `forward`: it is sent to the other side. `watch`: it is sent to the other side, and its payload is shown to the
 * sink. `take`: its payload is shown to the sink only. `gather`: the whole packet is handed to the sink only. `drop`: it is discarded.
 */
export type Route = 'forward' | 'watch' | 'take' | 'gather' | 'drop';

/**
 * The work of a packet and of each byte of its payload, roughly in microseconds. A gathered packet may open a stream, and a shown payload
 * may consist of small records. So both cost more.
 */
const WORK: Record<Route, { packet: number; byte: number }> = {
  forward: { packet: 1, byte: 0 },
  drop: { packet: 1, byte: 0 },
  watch: { packet: 1, byte: 1 / 64 },
  take: { packet: 2, byte: 1 / 4 },
  gather: { packet: 8, byte: 1 / 16 },
};

export interface PacketSink {
  /**
   * Called for each packet once its header is complete. The scanner has checked the magic; the sink must check the length. The sink must
   * not send to the other side here, because earlier packets of the same chunk may not have been passed yet.
   */
  route(header: PacketHeader): Route;
  /**
   * Passes bytes for the other side: a view into the chunk that was pushed. If `endsPacket`, the bytes end with a packet, so other packets
   * may be sent after them.
   */
  pass(bytes: Buffer, endsPacket: boolean): void;
  /** Shows the next piece of a watched or taken payload. The sink must not send to the other side here. */
  piece(header: PacketHeader, bytes: Buffer): void;
  /** Called when a watched or taken packet is complete. A watched packet has been passed by then. */
  end(header: PacketHeader): void;
  /** Hands over a gathered packet. Its payload is either a view, good until the call ends, or a buffer of its own. */
  packet(packet: Packet): void;
}

const NO_BYTES = Buffer.alloc(0);
