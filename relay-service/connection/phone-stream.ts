import { Command, type Packet, type PacketHeader } from '../../phone/adb/packet.js';
import type { Sender, StreamCut, StreamGuard } from '../transfer/stream-guard.js';
import { MalformedSync } from '../transfer/sync-requests.js';
import type { Agreement } from './agreement.js';
import { DROP, FORWARD, type Handling, type Stream } from './handling.js';
import type { PacketOut } from './packet-out.js';
import type { ServedStream } from './served-stream.js';

interface PhoneStreamParts {
  /** The client's OPEN. */
  open: Packet;
  /** Whether the stream leads to a running program. */
  runs: boolean;
  guard: ((cut: StreamCut) => StreamGuard) | undefined;
  client: PacketOut;
  phone: PacketOut;
  agreement: Agreement;
  /** Puts a stream that the relay serves itself in the place of this one. */
  serve: (rest: { ownId: number; unackedWrites: number; onData: (bytes: Buffer) => void }) => ServedStream;
  /** Is called when the stream's data makes no sense. The stream is then closed. */
  onMalformed: (reason: string) => void;
  /** Is called when the stream is over, whichever side ended it. */
  onEnd: (stream: PhoneStream) => void;
}

/** A stream between client and phone. Ids are the peers' own and pass unchanged; a packet counts only when both match. */
export class PhoneStream implements Stream {
  readonly clientId: number;
  readonly runs: boolean;
  readonly #parts: PhoneStreamParts;
  readonly #guard: StreamGuard | undefined;
  /** The phone's id; 0 until it has accepted the OPEN. */
  #phoneId = 0;
  /** Writes that the phone has not acknowledged, or bytes where windows are in use. */
  #unackedByPhone = 0;
  /** Writes that the client has not acknowledged. */
  #unackedByClient = 0;
  /** Whether the client closed the stream before the phone had accepted it. */
  #isClosedEarly = false;
  #isOver = false;

  /** Passes the OPEN on to the phone. */
  constructor(parts: PhoneStreamParts) {
    const { open, runs, guard, phone } = parts;
    this.clientId = open.arg0;
    this.runs = runs;
    this.#parts = parts;
    this.#guard = guard?.({ takeOver: (replies) => this.#takeOver(replies) });
    phone.packet(Command.OPEN, open.arg0, open.arg1, open.payload);
  }

  fromClient(header: PacketHeader): Handling {
    const { command, arg1, length } = header;
    if (command === Command.CLSE) return this.#closedByClient(arg1);
    if (this.#phoneId === 0 || this.#phoneId !== arg1) return DROP;
    if (command === Command.OKAY) {
      this.#unackedByClient = Math.max(0, this.#unackedByClient - 1);
      return FORWARD;
    }
    this.#unackedByPhone += this.#parts.agreement.delayedAck ? length : 1;
    return this.#data(header, 'client');
  }

  fromPhone(header: PacketHeader): Handling {
    const { command, arg0 } = header;
    if (command === Command.CLSE) {
      if (this.#phoneId !== arg0 && arg0 !== 0) return DROP;
      this.#end();
      return this.#isClosedEarly ? DROP : FORWARD;
    }
    if (command === Command.OKAY && this.#phoneId === 0 && arg0 !== 0) return this.#accepted(arg0);
    if (this.#phoneId === 0 || this.#phoneId !== arg0) return DROP;
    return command === Command.OKAY ? this.#acknowledged() : this.#data(header, 'phone');
  }

  /** Is called when the connection is gone. */
  abandon(): void {
    this.#isOver = true;
  }

  #closedByClient(phoneId: number): Handling {
    if (this.#phoneId === 0) {
      // The phone has no id for the stream yet, so it could not know which stream is meant. The stream is closed when the phone accepts it.
      this.#isClosedEarly = true;
      return DROP;
    }
    if (this.#phoneId !== phoneId) return DROP;
    this.#end();
    // Some clients wait for this acknowledgement. The phone's own acknowledgement comes when the stream is gone, and is dropped.
    this.#parts.client.packet(Command.CLSE, phoneId, this.clientId);
    return FORWARD;
  }

  #accepted(phoneId: number): Handling {
    this.#phoneId = phoneId;
    if (!this.#isClosedEarly) return FORWARD;
    this.#parts.phone.packet(Command.CLSE, this.clientId, phoneId);
    this.#end();
    return DROP;
  }

  #acknowledged(): Handling {
    if (!this.#parts.agreement.delayedAck) {
      this.#unackedByPhone = Math.max(0, this.#unackedByPhone - 1);
      return FORWARD;
    }
    // Only a stream that may be cut needs the count of bytes.
    if (!this.#guard) return FORWARD;
    return {
      route: 'gather',
      packet: ({ arg0, arg1, payload }) => {
        if (payload.length === 4) this.#unackedByPhone -= payload.readInt32LE();
        this.#parts.client.packet(Command.OKAY, arg0, arg1, payload);
      },
    };
  }

  /** Handles a write that `from` sent. */
  #data({ arg0, arg1, length }: PacketHeader, from: Sender): Handling {
    const guard = this.#guard;
    const route = guard?.route(from, length) ?? 'forward';
    if (from === 'phone' && route !== 'gather') this.#unackedByClient++;
    if (!guard || route === 'forward') return FORWARD;
    if (route === 'watch') {
      return {
        route,
        piece: (bytes) => this.#closeWhenMalformed(() => guard.watched(from, bytes)),
        end: () => this.#closeWhenMalformed(() => guard.passed()),
      };
    }
    const to = from === 'client' ? this.#parts.phone : this.#parts.client;
    return {
      route,
      packet: ({ payload }) =>
        this.#closeWhenMalformed(() => {
          // A part that is not passed on is acknowledged when the relay takes the stream over.
          const part = guard.gathered(from, payload);
          if (part.length > 0) {
            if (from === 'phone') this.#unackedByClient++;
            to.packet(Command.WRTE, arg0, arg1, part);
          }
          guard.passed();
        }),
    };
  }

  /** A stream whose records make no sense cannot be counted: it is closed on both sides, and the others continue. */
  #closeWhenMalformed(run: () => void): void {
    if (this.#isOver) return;
    try {
      run();
    } catch (error) {
      if (!(error instanceof MalformedSync)) throw error;
      this.#parts.onMalformed(error.message);
      this.#takeOver([]).end();
    }
  }

  #takeOver(replies: readonly Buffer[]): ServedStream {
    this.#parts.phone.packet(Command.CLSE, this.clientId, this.#phoneId);
    this.#end();
    const stream = this.#parts.serve({
      ownId: this.#phoneId,
      unackedWrites: this.#unackedByClient,
      onData: (bytes) => this.#guard?.receive(bytes),
    });
    if (this.#unackedByPhone > 0) stream.acknowledge(this.#unackedByPhone);
    for (const bytes of replies) stream.write(bytes);
    return stream;
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.onEnd(this);
  }
}
