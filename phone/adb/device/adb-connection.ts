import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '../../../kit/async/clock.js';
import type { Log } from '../../../kit/log/log.js';
import { formatBanner, type Banner } from '../banner.js';
import { MalformedPacket, PacketParser } from '../packet-parser.js';
import {
  Command,
  MAX_PAYLOAD_BYTES,
  MAX_PAYLOAD_V1_BYTES,
  MIN_VERSION,
  VERSION_SKIP_CHECKSUM,
  commandName,
  encodeHeader,
  type Packet,
} from '../packet.js';
import { serviceName, serviceWord } from '../service-name.js';
import { AdbStream } from './adb-stream.js';
import { Allowance, type Bytes } from './allowance.js';
import { Auth, Authentication } from './authentication.js';
import type { TrustedKeys } from './trusted-keys.js';

/** The phone, as a connection uses it. */
export interface AdbHost {
  readonly log: Log;
  readonly clock: Clock;
  /** `hang`: streams are accepted, but nothing more is sent on them. */
  readonly faults: { readonly hang: boolean };
  /** The protocol version and the largest payload that this adbd announces. Lower values imitate older phones. */
  readonly protocol: { version: number; maxPayloadBytes: number };
  /** Clients must prove that they have one of these keys. Absent: adbd does not ask for a key. */
  readonly trustedKeys?: TrustedKeys | undefined;
  /** Counts the payloads that streams hold. A stream is closed when no memory is left for its payload. Absent: payloads are not counted. */
  readonly memory?: Bytes | undefined;
  banner(): Banner;
  /**
   * Returns the service of a name, or undefined to refuse the stream. It is called once for each OPEN. The client waits for a returned
   * promise; a promise that rejects refuses the stream.
   */
  open(service: string): Serve | undefined | Promise<Serve | undefined>;
}

/** Serves one stream until it is over. */
export type Serve = (stream: AdbStream) => Promise<void>;

/**
 * One client on one TCP connection: handshake, then streams. A packet that cannot be from an honest peer ends the connection; packets for
 * streams that are over are normal and ignored.
 *
 * Memory is bounded. For incoming data, each stream holds one payload, and all streams together at most MAX_AHEAD_BYTES more. For outgoing
 * data, each stream has one write that waits for its OKAY. The number of streams is bounded. While a peer does not read what is sent to it,
 * nothing is read from it.
 */
export class AdbConnection {
  readonly #socket: Duplex;
  readonly #host: AdbHost;
  readonly #mayOpen: () => boolean;
  readonly #parser: PacketParser;
  readonly #streams = new Map<number, AdbStream>();
  readonly #ahead = new Allowance(MAX_AHEAD_BYTES);
  readonly #handshakeTimer: Timer;
  #nextId = 1;
  /** The client's ids of streams whose OPEN has no response yet. */
  readonly #opening = new Set<number>();
  #version: number;
  #maxPayloadBytes: number;
  #isOnline = false;
  #authentication: Authentication | undefined;

  /** `mayOpen` returns whether the phone takes one more stream, over all its connections. */
  constructor(socket: Duplex, host: AdbHost, mayOpen: () => boolean = () => true) {
    this.#mayOpen = mayOpen;
    this.#socket = socket;
    this.#host = host;
    this.#version = host.protocol.version;
    this.#maxPayloadBytes = host.protocol.maxPayloadBytes;
    this.#parser = new PacketParser({
      maxPayloadBytes: () => (this.#isOnline ? this.#maxPayloadBytes : MAX_PAYLOAD_V1_BYTES),
      // Checksums are never verified, not even for the first protocol version, because some peers send wrong ones. The real adbd does not
      // verify them either.
      verifyChecksum: () => false,
    });
    this.#handshakeTimer = host.clock.after(HANDSHAKE_TIMEOUT_MS, () => {
      if (!this.#isOnline) this.destroy();
    });
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('drain', () => this.#socket.resume());
    socket.on('error', (error) => host.log.debug({ err: error }, 'ADB connection failed'));
    socket.on('close', () => this.#close());
  }

  get streamCount(): number {
    return this.#streams.size + this.#opening.size;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Sends one packet. */
  send(command: number, arg0: number, arg1: number, payload?: readonly Buffer[]): void {
    if (this.#socket.destroyed) return;
    const header = encodeHeader({ command, arg0, arg1 }, payload, this.#sendsChecksums());
    if (!payload) {
      this.#socket.write(header);
    } else {
      this.#socket.cork();
      this.#socket.write(header);
      for (const part of payload) this.#socket.write(part);
      this.#socket.uncork();
    }
    if (this.#socket.writableLength > MAX_UNSENT_BYTES) this.#socket.pause();
  }

  #receive(chunk: Buffer): void {
    try {
      for (const packet of this.#parser.push(chunk)) {
        this.#handle(packet);
        if (this.#socket.destroyed) return;
      }
    } catch (error) {
      if (!(error instanceof MalformedPacket)) this.#host.log.error({ err: error }, 'ADB packet could not be handled');
      else this.#host.log.debug({ reason: error.message }, 'ADB connection dropped');
      this.destroy();
    }
  }

  #handle(packet: Packet): void {
    if (!this.#isOnline) {
      this.#handleBeforeOnline(packet);
      return;
    }
    switch (packet.command) {
      case Command.OPEN:
        this.#open(packet);
        return;
      case Command.WRTE:
        this.#find(packet)?.receive(packet.payload);
        return;
      case Command.OKAY:
        this.#find(packet)?.acknowledged();
        return;
      case Command.CLSE:
        if (packet.arg1 === 0) this.#opening.delete(packet.arg0);
        this.#find(packet)?.closedByPeer();
        return;
      case Command.SYNC:
        return;
      default:
        // A second CNXN is refused here too, because the streams of the first would be left without an owner.
        throw new MalformedPacket(`${commandName(packet.command)} on a live connection`);
    }
  }

  #handleBeforeOnline(packet: Packet): void {
    if (this.#authentication === undefined && packet.command === Command.CNXN) this.#shakeHands(packet);
    else if (this.#authentication && packet.command === Command.AUTH) this.#authenticate(this.#authentication, packet);
    else throw new MalformedPacket(`${commandName(packet.command)} before the connection is online`);
  }

  #shakeHands(packet: Packet): void {
    if (packet.arg0 < MIN_VERSION) throw new MalformedPacket(`protocol version ${packet.arg0}`);
    if (packet.arg1 < MIN_MAX_PAYLOAD_BYTES) throw new MalformedPacket(`max payload of ${packet.arg1} bytes`);
    const { protocol, trustedKeys } = this.#host;
    this.#version = Math.min(packet.arg0, protocol.version);
    this.#maxPayloadBytes = Math.min(packet.arg1, protocol.maxPayloadBytes, MAX_PAYLOAD_BYTES);
    if (trustedKeys === undefined) {
      this.#goOnline();
    } else {
      this.#authentication = new Authentication(trustedKeys);
      this.send(Command.AUTH, Auth.TOKEN, 0, [this.#authentication.token]);
    }
  }

  #authenticate(authentication: Authentication, packet: Packet): void {
    const step = authentication.handle(packet.arg0, packet.payload);
    if (step.kind === 'accepted') this.#goOnline();
    else if (step.kind === 'asked') this.send(Command.AUTH, Auth.TOKEN, 0, [step.token]);
    // The connection stays open, because a client that is disconnected here would try again for ever.
    else this.#handshakeTimer.cancel();
  }

  #goOnline(): void {
    const { version, maxPayloadBytes } = this.#host.protocol;
    this.#isOnline = true;
    this.#handshakeTimer.cancel();
    const banner = Buffer.from(formatBanner(this.#host.banner()), 'utf8');
    this.send(Command.CNXN, version, maxPayloadBytes, [banner]);
  }

  #open(packet: Packet): void {
    const peerId = packet.arg0;
    if (peerId === 0) return;
    const name = serviceName(packet.payload);
    // arg1 is the window of the feature delayed_ack, which this side does not announce.
    const mayOpen = packet.arg1 === 0 && this.streamCount < MAX_STREAMS && this.#mayOpen();
    // eslint-disable-next-line cloudphone/begun-promises -- #openLater handles it at once
    const serve = mayOpen ? this.#host.open(name) : undefined;
    if (serve instanceof Promise) void this.#openLater(name, peerId, serve);
    else this.#accept(name, peerId, serve);
  }

  async #openLater(name: string, peerId: number, opening: Promise<Serve | undefined>): Promise<void> {
    this.#opening.add(peerId);
    const serve = await opening.catch((error: unknown) => {
      this.#host.log.debug({ err: error, service: serviceWord(name) }, 'ADB stream refused');
      return undefined;
    });
    const isWanted = this.#opening.delete(peerId) && !this.#socket.destroyed;
    const stream = this.#accept(name, peerId, serve);
    // The client has gone or closed the stream, but its service is open. Serving a closed stream closes the service.
    if (!isWanted) stream?.closedByPeer();
  }

  #accept(name: string, peerId: number, serve: Serve | undefined): AdbStream | undefined {
    if (!serve) {
      this.send(Command.CLSE, 0, peerId);
      return undefined;
    }
    const id = this.#takeId();
    const stream = new AdbStream({
      id,
      peerId,
      maxPayloadBytes: this.#maxPayloadBytes,
      send: (command, payload) => this.send(command, id, peerId, payload),
      onClosed: () => this.#streams.delete(id),
      faults: this.#host.faults,
      ahead: this.#ahead,
      memory: this.#host.memory,
    });
    this.#streams.set(id, stream);
    this.send(Command.OKAY, id, peerId);
    void this.#serve(name, stream, serve);
    return stream;
  }

  async #serve(name: string, stream: AdbStream, serve: Serve): Promise<void> {
    try {
      await serve(stream);
    } catch (error) {
      if (!stream.closed.aborted)
        // The rest of the name can hold typed text.
        this.#host.log.error({ err: error, service: serviceWord(name) }, 'ADB service failed');
    } finally {
      stream.close();
      stream.discard();
    }
  }

  #find(packet: Packet): AdbStream | undefined {
    const stream = this.#streams.get(packet.arg1);
    // CLSE(0, id) is how some clients say that they never took the stream.
    return stream && (packet.arg0 === stream.peerId || packet.arg0 === 0) ? stream : undefined;
  }

  #takeId(): number {
    const id = this.#nextId;
    this.#nextId = id >= 0x7fffffff ? 1 : id + 1;
    return this.#streams.has(id) ? this.#takeId() : id;
  }

  #sendsChecksums(): boolean {
    return this.#version < VERSION_SKIP_CHECKSUM;
  }

  #close(): void {
    this.#handshakeTimer.cancel();
    for (const stream of [...this.#streams.values()]) stream.closedByPeer();
    this.#streams.clear();
  }
}

/** A client that has not completed the handshake by then is disconnected. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** The most streams of one connection. Each can hold a payload of 1 MiB in each direction for as long as its client likes. */
const MAX_STREAMS = 512;
/** The smallest bound for payloads that a client may announce. Smaller payloads could not carry a service name. */
const MIN_MAX_PAYLOAD_BYTES = 256;
/** The most bytes that clients may send ahead of their turn. An adb server may send as much as sockets on loopback hold, some MiB. */
const MAX_AHEAD_BYTES = 16 * 1024 * 1024;
/** While more bytes than this wait to be sent, nothing is read from the peer. */
const MAX_UNSENT_BYTES = 8 * 1024 * 1024;
