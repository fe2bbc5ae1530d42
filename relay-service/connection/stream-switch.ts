import { MalformedPacket } from '../../phone/adb/packet-parser.js';
import { Command, commandName, type Packet, type PacketHeader } from '../../phone/adb/packet.js';
import type { StreamCut, StreamGuard } from '../transfer/stream-guard.js';
import type { Agreement } from './agreement.js';
import { DROP, type Handling, type PacketHandler, type Stream } from './handling.js';
import type { PacketOut } from './packet-out.js';
import { PhoneStream } from './phone-stream.js';
import { type ReplyQuota, ServedStream } from './served-stream.js';

export interface SwitchParts {
  client: PacketOut;
  phone: PacketOut;
  agreement: Agreement;
  maxStreams: number;
  maxServiceNameBytes: number;
  /** Most bytes of the relay's own replies that may be queued. */
  ownRepliesBytes: number;
  /** Called when the client opens a stream. Its handler calls `forward`, `refuse` or `serve`. */
  onOpen: (open: Packet) => void;
  /** Called when the phone opened a stream towards the client, which has been refused. */
  onPhoneOpen: () => void;
  /** Called when a stream was closed because its data made no sense. */
  onMalformed: (reason: string) => void;
}

/** Holds the streams of one connection after the handshake, by the client's ids, and hands each packet to its stream. */
export class StreamSwitch implements PacketHandler {
  readonly #parts: SwitchParts;
  readonly #quota: ReplyQuota;
  readonly #streams = new Map<number, Stream>();
  #nextOwnId = FIRST_OWN_ID;

  constructor(parts: SwitchParts) {
    this.#parts = parts;
    this.#quota = { leftBytes: parts.ownRepliesBytes };
  }

  /** Whether a program runs behind a stream. */
  get isRunning(): boolean {
    return [...this.#streams.values()].some(({ runs }) => runs);
  }

  /** Passes an OPEN on to the phone. */
  forward(open: Packet, options: { runs: boolean; guard: ((cut: StreamCut) => StreamGuard) | undefined }): void {
    const stream = new PhoneStream({
      ...this.#parts,
      ...options,
      open,
      serve: (rest) => this.#serve({ clientId: open.arg0, ...rest }),
      onEnd: (over) => this.#forget(over),
    });
    this.#streams.set(stream.clientId, stream);
  }

  refuse(open: Packet): void {
    this.#parts.client.packet(Command.CLSE, 0, open.arg0);
  }

  /** Returns a stream that the relay itself serves for an OPEN. The stream is not accepted yet. */
  serve(open: Packet, onData?: (bytes: Buffer) => void): ServedStream {
    const ownId = this.#nextOwnId;
    this.#nextOwnId = ownId >= LAST_OWN_ID ? FIRST_OWN_ID : ownId + 1;
    return this.#serve({ clientId: open.arg0, ownId, onData });
  }

  /** Ends all streams: the connection is gone. */
  close(): void {
    for (const stream of [...this.#streams.values()]) stream.abandon();
    this.#streams.clear();
  }

  fromClient(header: PacketHeader): Handling {
    const { command, arg0, length } = header;
    this.#checkLength(header);
    switch (command) {
      case Command.OPEN:
        if (arg0 === 0) return DROP;
        if (this.#streams.has(arg0)) throw new MalformedPacket(`OPEN of stream ${arg0}, which is open`);
        if (length > this.#parts.maxServiceNameBytes || this.#streams.size >= this.#parts.maxStreams) {
          return { route: 'take', piece: ignore, end: () => this.#parts.client.packet(Command.CLSE, 0, arg0) };
        }
        return { route: 'gather', packet: (packet) => this.#parts.onOpen(packet) };
      case Command.WRTE:
      case Command.OKAY:
      case Command.CLSE:
        return this.#streams.get(arg0)?.fromClient(header) ?? DROP;
      case Command.SYNC:
        return DROP;
      default:
        throw new MalformedPacket(`${commandName(command)} from the client after the handshake`);
    }
  }

  fromPhone(header: PacketHeader): Handling {
    const { command, arg0, arg1, length } = header;
    this.#checkLength(header);
    switch (command) {
      case Command.OPEN:
        this.#parts.phone.packet(Command.CLSE, 0, arg0);
        this.#parts.onPhoneOpen();
        return DROP;
      case Command.WRTE:
      case Command.OKAY:
      case Command.CLSE:
        return this.#streams.get(arg1)?.fromPhone(header) ?? DROP;
      case Command.SYNC:
        return DROP;
      default:
        throw new MalformedPacket(`${commandName(command)} of ${length} bytes from the phone after the handshake`);
    }
  }

  #serve(parts: {
    clientId: number;
    ownId: number;
    unackedWrites?: number;
    onData: ((bytes: Buffer) => void) | undefined;
  }): ServedStream {
    const stream = new ServedStream({
      client: this.#parts.client,
      agreement: this.#parts.agreement,
      quota: this.#quota,
      onEnd: (over) => this.#forget(over),
      ...parts,
    });
    this.#streams.set(parts.clientId, stream);
    return stream;
  }

  #forget(stream: Stream): void {
    if (this.#streams.get(stream.clientId) === stream) this.#streams.delete(stream.clientId);
  }

  #checkLength({ command, length }: PacketHeader): void {
    const { maxPayloadBytes } = this.#parts.agreement;
    if (length > maxPayloadBytes)
      throw new MalformedPacket(`${commandName(command)} of ${length} bytes is over ${maxPayloadBytes}`);
  }
}

/** Ids of streams that the relay itself serves. adbd counts its own ids up from small numbers, and does not get this far. */
const FIRST_OWN_ID = 0x8000_0000;
const LAST_OWN_ID = 0xffff_ffff;

function ignore(): void {
  // The name in an oversized OPEN is not read.
}
