import { MalformedPacket } from '../../phone/adb/packet-parser.js';
import type { PacketSink } from '../../phone/adb/packet-scanner.js';
import { Command, commandName, type Packet, type PacketHeader } from '../../phone/adb/packet.js';
import type { Sender, StreamCut, StreamGuard } from '../transfer/stream-guard.js';
import { MalformedSync } from '../transfer/sync-requests.js';
import type { Agreement } from './agreement.js';
import { DROP, FORWARD, type Handling, sinkOf } from './handling.js';
import type { PacketOut } from './packet-out.js';
import { type ReplyQuota, ServedStream } from './served-stream.js';

export interface SwitchParts {
  client: PacketOut;
  phone: PacketOut;
  agreement: Agreement;
  maxStreams: number;
  maxServiceNameBytes: number;
  /** Replies of the relay's own that may be queued, bytes. */
  ownRepliesBytes: number;
  /** The client opened a stream; respond with one of `forward`, `refuse`, `serve`. */
  onOpen: (open: Packet) => void;
  /** The phone opened a stream towards the client, which has been refused. */
  onPhoneOpen: () => void;
  /** A stream's data made no sense, and it was closed. */
  onMalformed: (reason: string) => void;
}

/** A stream between client and phone. */
interface PhoneStream {
  clientId: number;
  /** The phone's id; 0 until it has accepted the OPEN. */
  phoneId: number;
  /** Whether a program runs behind it. */
  runs: boolean;
  guard: StreamGuard | undefined;
  /** Writes that the phone has not acknowledged, or bytes where windows are in use. */
  unackedByPhone: number;
  /** Writes that the client has not acknowledged. */
  unackedByClient: number;
  /** The client closed it before the phone had accepted it. */
  isClosedEarly: boolean;
}

/**
 * The streams of one connection after the handshake, and the handling of each packet. Ids are the peers' own and pass unchanged: a
 * stream is known by the client's id, and a packet counts only when both ids match.
 */
export class StreamSwitch {
  readonly clientSink: Omit<PacketSink, 'pass'>;
  readonly phoneSink: Omit<PacketSink, 'pass'>;
  readonly #parts: SwitchParts;
  readonly #quota: ReplyQuota;
  readonly #streams = new Map<number, PhoneStream | ServedStream>();
  #running = 0;
  #nextOwnId = FIRST_OWN_ID;

  constructor(parts: SwitchParts) {
    this.#parts = parts;
    this.#quota = { leftBytes: parts.ownRepliesBytes };
    this.clientSink = sinkOf((header) => this.#fromClient(header));
    this.phoneSink = sinkOf((header) => this.#fromPhone(header));
  }

  /** How many streams a program runs behind. */
  get running(): number {
    return this.#running;
  }

  /** Passes an OPEN on to the phone. */
  forward(open: Packet, options: { runs: boolean; guard: ((cut: StreamCut) => StreamGuard) | undefined }): void {
    const stream: PhoneStream = {
      clientId: open.arg0,
      phoneId: 0,
      runs: options.runs,
      guard: undefined,
      unackedByPhone: 0,
      unackedByClient: 0,
      isClosedEarly: false,
    };
    stream.guard = options.guard?.({ takeOver: (replies) => this.#takeOver(stream, replies) });
    this.#streams.set(stream.clientId, stream);
    if (stream.runs) this.#running++;
    this.#parts.phone.packet(Command.OPEN, open.arg0, open.arg1, open.payload);
  }

  refuse(open: Packet): void {
    this.#parts.client.packet(Command.CLSE, 0, open.arg0);
  }

  /** The stream of an OPEN, served by the relay. It is not accepted yet. */
  serve(open: Packet, onData?: (bytes: Buffer) => void): ServedStream {
    const ownId = this.#nextOwnId;
    this.#nextOwnId = ownId >= LAST_OWN_ID ? FIRST_OWN_ID : ownId + 1;
    return this.#serve({ clientId: open.arg0, ownId, onData });
  }

  /** Ends the streams that the relay serves: the connection is gone. */
  close(): void {
    for (const stream of [...this.#streams.values()]) if (stream instanceof ServedStream) stream.abandon();
    this.#streams.clear();
    this.#running = 0;
  }

  #fromClient(header: PacketHeader): Handling {
    const { command, arg0, arg1, length } = header;
    this.#checkLength(header);
    switch (command) {
      case Command.OPEN:
        if (arg0 === 0) return DROP;
        if (this.#streams.has(arg0)) throw new MalformedPacket(`OPEN of stream ${arg0}, which is open`);
        if (length > this.#parts.maxServiceNameBytes || this.#streams.size >= this.#parts.maxStreams) {
          return { route: 'take', piece: ignore, end: () => this.#parts.client.packet(Command.CLSE, 0, arg0) };
        }
        return { route: 'gather', packet: (packet) => this.#parts.onOpen(packet) };
      case Command.WRTE: {
        const stream = this.#find(arg0, arg1);
        if (!stream) return DROP;
        if (stream instanceof ServedStream) {
          return {
            route: 'take',
            piece: (bytes) => receive(stream, bytes),
            end: () => stream.received(length),
          };
        }
        stream.unackedByPhone += this.#parts.agreement.delayedAck ? length : 1;
        return this.#data(header, stream, 'client');
      }
      case Command.OKAY: {
        const stream = this.#find(arg0, arg1);
        if (stream instanceof ServedStream) stream.acknowledged();
        if (!stream || stream instanceof ServedStream) return DROP;
        stream.unackedByClient = Math.max(0, stream.unackedByClient - 1);
        return FORWARD;
      }
      case Command.CLSE: {
        const stream = this.#streams.get(arg0);
        if (!stream) return DROP;
        if (stream instanceof ServedStream) {
          stream.close();
          return DROP;
        }
        if (stream.phoneId === 0) {
          // The phone could not know which stream is meant. It is closed when the phone accepts it.
          stream.isClosedEarly = true;
          return DROP;
        }
        if (stream.phoneId !== arg1) return DROP;
        this.#forget(stream);
        // Some clients wait for this acknowledgement. The phone's own comes later, for a stream that is gone, and is dropped.
        this.#parts.client.packet(Command.CLSE, arg1, arg0);
        return FORWARD;
      }
      case Command.SYNC:
        return DROP;
      default:
        throw new MalformedPacket(`${commandName(command)} from the client after the handshake`);
    }
  }

  #fromPhone(header: PacketHeader): Handling {
    const { command, arg0, arg1, length } = header;
    this.#checkLength(header);
    const found = this.#streams.get(arg1);
    const stream = found instanceof ServedStream ? undefined : found;
    switch (command) {
      case Command.OPEN:
        this.#parts.phone.packet(Command.CLSE, 0, arg0);
        this.#parts.onPhoneOpen();
        return DROP;
      case Command.OKAY:
        if (!stream || arg0 === 0) return DROP;
        if (stream.phoneId === 0) {
          stream.phoneId = arg0;
          if (!stream.isClosedEarly) return FORWARD;
          this.#parts.phone.packet(Command.CLSE, arg1, arg0);
          this.#forget(stream);
          return DROP;
        }
        return stream.phoneId === arg0 ? this.#acknowledgement(stream) : DROP;
      case Command.WRTE:
        return stream?.phoneId === arg0 ? this.#data(header, stream, 'phone') : DROP;
      case Command.CLSE:
        if (!stream || (stream.phoneId !== arg0 && arg0 !== 0)) return DROP;
        this.#forget(stream);
        return stream.isClosedEarly ? DROP : FORWARD;
      case Command.SYNC:
        return DROP;
      default:
        throw new MalformedPacket(`${commandName(command)} of ${length} bytes from the phone after the handshake`);
    }
  }

  #acknowledgement(stream: PhoneStream): Handling {
    if (!this.#parts.agreement.delayedAck) {
      stream.unackedByPhone = Math.max(0, stream.unackedByPhone - 1);
      return FORWARD;
    }
    // Only a stream that may be cut needs the count of bytes.
    if (!stream.guard) return FORWARD;
    return {
      route: 'gather',
      packet: ({ arg0, arg1, payload }) => {
        if (payload.length === 4) stream.unackedByPhone -= payload.readInt32LE();
        this.#parts.client.packet(Command.OKAY, arg0, arg1, payload);
      },
    };
  }

  /** A write of `from` on a stream between client and phone. */
  #data({ arg0, arg1, length }: PacketHeader, stream: PhoneStream, from: Sender): Handling {
    const { guard } = stream;
    const route = guard?.route(from, length) ?? 'forward';
    if (from === 'phone' && route !== 'gather') stream.unackedByClient++;
    if (!guard || route === 'forward') return FORWARD;
    const close = <A extends unknown[]>(run: (...args: A) => void) => this.#closeWhenMalformed(stream, run);
    if (route === 'watch') {
      return {
        route,
        piece: close((bytes: Buffer) => guard.watched(from, bytes)),
        end: close(() => guard.passed()),
      };
    }
    return {
      route,
      // A part that does not go on is acknowledged when the relay takes the stream over.
      packet: close(({ payload }: Packet) => {
        const part = guard.gathered(from, payload);
        if (part.length > 0) {
          if (from === 'phone') stream.unackedByClient++;
          const to = from === 'client' ? this.#parts.phone : this.#parts.client;
          to.packet(Command.WRTE, arg0, arg1, part);
        }
        guard.passed();
      }),
    };
  }

  /** A stream whose records make no sense cannot be counted: it is closed on both sides, and the others continue. */
  #closeWhenMalformed<A extends unknown[]>(stream: PhoneStream, run: (...args: A) => void): (...args: A) => void {
    return (...args) => {
      if (this.#streams.get(stream.clientId) !== stream) return;
      try {
        run(...args);
      } catch (error) {
        if (!(error instanceof MalformedSync)) throw error;
        this.#parts.onMalformed(error.message);
        this.#takeOver(stream, []).end();
      }
    };
  }

  #takeOver(from: PhoneStream, replies: readonly Buffer[]): ServedStream {
    this.#parts.phone.packet(Command.CLSE, from.clientId, from.phoneId);
    this.#forget(from);
    const stream = this.#serve({
      clientId: from.clientId,
      ownId: from.phoneId,
      unackedWrites: from.unackedByClient,
      onData: (bytes) => from.guard?.receive(bytes),
    });
    if (from.unackedByPhone > 0) stream.acknowledge(from.unackedByPhone);
    for (const bytes of replies) stream.write(bytes);
    return stream;
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
      onEnd: (over) => {
        if (this.#streams.get(over.clientId) === over) this.#streams.delete(over.clientId);
      },
      ...parts,
    });
    this.#streams.set(parts.clientId, stream);
    return stream;
  }

  #find(clientId: number, otherId: number): PhoneStream | ServedStream | undefined {
    const stream = this.#streams.get(clientId);
    if (!stream || otherId === 0) return undefined;
    return (stream instanceof ServedStream ? stream.ownId : stream.phoneId) === otherId ? stream : undefined;
  }

  #forget(stream: PhoneStream): void {
    if (this.#streams.get(stream.clientId) !== stream) return;
    this.#streams.delete(stream.clientId);
    if (stream.runs) this.#running--;
  }

  #checkLength({ command, length }: PacketHeader): void {
    const { maxPayloadBytes } = this.#parts.agreement;
    if (length > maxPayloadBytes)
      throw new MalformedPacket(`${commandName(command)} of ${length} bytes is over ${maxPayloadBytes}`);
  }
}

/** Ids of streams that the relay accepts itself; no adbd reaches them by counting. */
const FIRST_OWN_ID = 0x8000_0000;
const LAST_OWN_ID = 0xffff_ffff;

function receive(stream: ServedStream, bytes: Buffer): void {
  try {
    stream.receive(bytes);
  } catch (error) {
    if (!(error instanceof MalformedSync)) throw error;
    stream.end();
  }
}

function ignore(): void {
  // The name in an oversized OPEN is not read.
}
