import { MalformedPacket } from '../../phone/adb/packet-parser.js';
import type { PacketSink } from '../../phone/adb/packet-scanner.js';
import { Command, commandName, type Packet, type PacketHeader } from '../../phone/adb/packet.js';
import { MalformedSync } from '../transfer/sync-requests.js';
import type { StreamCut, Watch, WatchedSide } from '../transfer/watch.js';
import { DROP, FORWARD, type Handling, sinkOf } from './handling.js';
import type { PacketOut } from './packet-out.js';
import { type Agreement, RelayStream } from './relay-stream.js';

export interface SwitchParts {
  client: PacketOut;
  phone: PacketOut;
  agreement: Agreement;
  maxStreams: number;
  maxServiceNameBytes: number;
  /** The client opened a stream: answer it by one of `forward`, `refuse`, `serve`. */
  onOpen: (open: Packet) => void;
  /** The phone opened a stream towards the client, which has been refused. */
  onPhoneOpen: () => void;
  /** A stream made no sense any more and was closed. */
  onMalformed: (reason: string) => void;
}

/** A stream between client and phone. */
interface PhoneStream {
  clientId: number;
  /** The phone's id; 0 until it has answered the OPEN. */
  phoneId: number;
  /** Something runs behind it. */
  runs: boolean;
  watch: Watch | undefined;
  /** What the phone has not acknowledged: writes, or bytes where windows are in use. */
  unansweredToPhone: number;
  /** Writes that the client has not acknowledged. */
  unansweredToClient: number;
  /** The client closed it before the phone had answered. */
  closedEarly: boolean;
}

/**
 * The streams of one connection after the handshake, and what becomes of each packet. Ids are the peers' own and pass unchanged:
 * a client's stream is known by the client's id, and a packet counts only when both ids fit.
 */
export class StreamSwitch {
  readonly clientSink: Omit<PacketSink, 'pass'>;
  readonly phoneSink: Omit<PacketSink, 'pass'>;
  readonly #parts: SwitchParts;
  readonly #streams = new Map<number, PhoneStream | RelayStream>();
  #running = 0;
  #nextOwnId = 0x8000_0000;

  constructor(parts: SwitchParts) {
    this.#parts = parts;
    this.clientSink = sinkOf((header) => this.#fromClient(header));
    this.phoneSink = sinkOf((header) => this.#fromPhone(header));
  }

  /** Streams behind which something runs. */
  get running(): number {
    return this.#running;
  }

  /** Hands the stream of an OPEN to the phone. */
  forward(open: Packet, options: { runs: boolean; watch?: (cut: StreamCut) => Watch }): void {
    const stream: PhoneStream = {
      clientId: open.arg0,
      phoneId: 0,
      runs: options.runs,
      watch: undefined,
      unansweredToPhone: 0,
      unansweredToClient: 0,
      closedEarly: false,
    };
    stream.watch = options.watch?.({ takeOver: (bytes) => this.#takeOver(stream, bytes) });
    this.#streams.set(stream.clientId, stream);
    if (stream.runs) this.#running++;
    this.#parts.phone.packet(Command.OPEN, open.arg0, open.arg1, open.payload);
  }

  refuse(open: Packet): void {
    this.#parts.client.packet(Command.CLSE, 0, open.arg0);
  }

  /** The stream of an OPEN, served here. It is not accepted yet. */
  serve(open: Packet, onData?: (bytes: Buffer) => void): RelayStream {
    const stream = this.#relayStream(open.arg0, this.#nextOwnId, { ...(onData && { onData }) });
    this.#nextOwnId = this.#nextOwnId >= 0xffff_ffff ? 0x8000_0000 : this.#nextOwnId + 1;
    return stream;
  }

  /** Ends every stream of the relay's own; the connection is gone. */
  close(): void {
    for (const stream of [...this.#streams.values()]) if (stream instanceof RelayStream) stream.closedByClient();
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
        if (stream instanceof RelayStream) {
          return {
            route: 'take',
            piece: (bytes) => receiveHonest(stream, bytes),
            end: () => stream.answer(length),
          };
        }
        if (!stream) return DROP;
        stream.unansweredToPhone += this.#parts.agreement.delayedAck ? length : 1;
        return stream.watch ? this.#watched(header, stream, stream.watch.fromClient, 'phone') : FORWARD;
      }
      case Command.OKAY: {
        const stream = this.#find(arg0, arg1);
        if (stream instanceof RelayStream) stream.acknowledged();
        if (!stream || stream instanceof RelayStream) return DROP;
        stream.unansweredToClient = Math.max(0, stream.unansweredToClient - 1);
        return FORWARD;
      }
      case Command.CLSE: {
        const stream = this.#streams.get(arg0);
        if (!stream) return DROP;
        if (stream instanceof RelayStream) {
          stream.closedByClient();
          return DROP;
        }
        if (stream.phoneId === 0) {
          // The phone would not know which one is meant. It is told when its answer comes.
          stream.closedEarly = true;
          return DROP;
        }
        if (stream.phoneId !== arg1) return DROP;
        this.#forget(stream);
        return FORWARD;
      }
      case Command.SYNC:
        return DROP;
      default:
        throw new MalformedPacket(`${commandName(command)} from the client on a live connection`);
    }
  }

  #fromPhone(header: PacketHeader): Handling {
    const { command, arg0, arg1, length } = header;
    this.#checkLength(header);
    const stream = this.#streams.get(arg1);
    switch (command) {
      case Command.OPEN:
        this.#parts.phone.packet(Command.CLSE, 0, arg0);
        this.#parts.onPhoneOpen();
        return DROP;
      case Command.OKAY:
        if (!stream || stream instanceof RelayStream || arg0 === 0) return DROP;
        if (stream.phoneId === 0) {
          stream.phoneId = arg0;
          if (!stream.closedEarly) return FORWARD;
          this.#parts.phone.packet(Command.CLSE, arg1, arg0);
          this.#forget(stream);
          return DROP;
        }
        if (stream.phoneId !== arg0) return DROP;
        if (!this.#parts.agreement.delayedAck) {
          stream.unansweredToPhone = Math.max(0, stream.unansweredToPhone - 1);
          return FORWARD;
        }
        if (!stream.watch) return FORWARD;
        return {
          route: 'gather',
          packet: ({ payload }) => {
            if (payload.length === 4) stream.unansweredToPhone -= payload.readInt32LE();
            this.#parts.client.packet(Command.OKAY, arg0, arg1, payload);
          },
        };
      case Command.WRTE:
        if (!stream || stream instanceof RelayStream || stream.phoneId !== arg0) return DROP;
        if (stream.watch) return this.#watched(header, stream, stream.watch.fromPhone, 'client');
        stream.unansweredToClient++;
        return FORWARD;
      case Command.CLSE:
        if (!stream || stream instanceof RelayStream) return DROP;
        if (stream.phoneId !== arg0 && arg0 !== 0) return DROP;
        this.#forget(stream);
        return stream.closedEarly ? DROP : FORWARD;
      case Command.SYNC:
        return DROP;
      default:
        throw new MalformedPacket(`${commandName(command)} of ${length} bytes from the phone on a live connection`);
    }
  }

  /** A write on a stream that is looked at, on its way to `to`. */
  #watched(header: PacketHeader, stream: PhoneStream, side: WatchedSide, to: 'client' | 'phone'): Handling {
    const { arg0, arg1, length } = header;
    const out = this.#parts[to];
    /** What did not go on is acknowledged by the relay, and nobody else will. */
    const keep = (bytes: number): void => {
      if (to === 'client') return;
      // Once the stream is the relay's, takeOver has answered for all that the phone had not.
      if (this.#streams.get(stream.clientId) !== stream) return;
      const answered = this.#parts.agreement.delayedAck ? bytes : 1;
      stream.unansweredToPhone -= answered;
      const payload = this.#parts.agreement.delayedAck ? i32(bytes) : undefined;
      this.#parts.client.packet(Command.OKAY, stream.phoneId, stream.clientId, payload);
    };
    const honest = <A extends unknown[]>(run: (...args: A) => void) => this.#cutWhenMalformed(stream, run);
    const route = side.route(length);
    switch (route) {
      case 'watch':
        if (to === 'client') stream.unansweredToClient++;
        return {
          route,
          piece: honest((bytes: Buffer) => side.piece(bytes)),
          end: honest(() => {
            side.end();
            side.passed?.();
          }),
        };
      case 'take':
        return {
          route,
          piece: honest((bytes: Buffer) => side.piece(bytes)),
          end: honest(() => {
            keep(length);
            side.end();
          }),
        };
      case 'gather':
        return {
          route,
          packet: honest(({ payload }: Packet) => {
            const part = side.packet(payload);
            if (part.length > 0) {
              if (to === 'client') stream.unansweredToClient++;
              out.packet(Command.WRTE, arg0, arg1, part);
            }
            // One write is answered once, by the phone when it got any of it; windows are answered byte by byte.
            if (part.length === 0 || (this.#parts.agreement.delayedAck && part.length < length))
              keep(length - part.length);
            side.passed?.();
          }),
        };
    }
  }

  /** A stream whose records make no sense any more cannot be counted: it is closed on both sides, the others go on. */
  #cutWhenMalformed<A extends unknown[]>(stream: PhoneStream, run: (...args: A) => void): (...args: A) => void {
    return (...args) => {
      if (stream.closedEarly) return;
      try {
        run(...args);
      } catch (error) {
        if (!(error instanceof MalformedSync)) throw error;
        stream.closedEarly = true;
        this.#parts.onMalformed(error.message);
        if (this.#streams.get(stream.clientId) === stream) this.#takeOver(stream, []).end();
      }
    };
  }

  #takeOver(from: PhoneStream, bytes: readonly Buffer[]): RelayStream {
    this.#parts.phone.packet(Command.CLSE, from.clientId, from.phoneId);
    this.#forget(from);
    const stream = this.#relayStream(from.clientId, from.phoneId, {
      unanswered: from.unansweredToClient,
      onData: (data) => from.watch?.receive?.(data),
    });
    if (from.unansweredToPhone > 0) stream.answer(from.unansweredToPhone);
    for (const part of bytes) stream.write(part);
    return stream;
  }

  #relayStream(
    clientId: number,
    ownId: number,
    options: { unanswered?: number; onData?: (bytes: Buffer) => void },
  ): RelayStream {
    const stream = new RelayStream({
      clientId,
      ownId,
      client: this.#parts.client,
      agreement: this.#parts.agreement,
      onEnd: (over) => {
        if (this.#streams.get(clientId) === over) this.#streams.delete(clientId);
      },
      ...options,
    });
    this.#streams.set(clientId, stream);
    return stream;
  }

  #find(clientId: number, otherId: number): PhoneStream | RelayStream | undefined {
    const stream = this.#streams.get(clientId);
    if (!stream || otherId === 0) return undefined;
    return (stream instanceof RelayStream ? stream.ownId : stream.phoneId) === otherId ? stream : undefined;
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

function receiveHonest(stream: RelayStream, bytes: Buffer): void {
  try {
    stream.receive(bytes);
  } catch (error) {
    if (!(error instanceof MalformedSync)) throw error;
    stream.end();
  }
}

function ignore(): void {
  // What an oversized OPEN names is not even looked at.
}

function i32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
