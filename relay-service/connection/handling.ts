import type { PacketSink, Route } from '../../phone/adb/packet-scanner.js';
import type { Packet, PacketHeader } from '../../phone/adb/packet.js';

/** How one packet is handled, decided at its header. */
export type Handling =
  | { route: 'forward' | 'drop' }
  | { route: 'watch' | 'take'; piece: (bytes: Buffer) => void; end: () => void }
  | { route: 'gather'; packet: (packet: Packet) => void };

/** Handles the packets of both sides. */
export interface PacketHandler {
  fromClient(header: PacketHeader): Handling;
  fromPhone(header: PacketHeader): Handling;
}

/** A stream of a connection, between client and phone or between client and relay. It handles each WRTE, OKAY and CLSE that names it. */
export interface Stream extends PacketHandler {
  readonly clientId: number;
  /** Whether a program runs behind the stream. */
  readonly runs: boolean;
  /** Is called when the connection is gone. The stream sends nothing any more. */
  abandon(): void;
}

export const FORWARD: Handling = { route: 'forward' };
export const DROP: Handling = { route: 'drop' };

/** A sink that handles each packet as `handle` decides at its header. */
export function sinkOf(handle: (header: PacketHeader) => Handling): Omit<PacketSink, 'pass'> {
  let current: Handling = DROP;
  return {
    route: (header): Route => {
      current = handle(header);
      return current.route;
    },
    piece: (_header, bytes) => {
      if ('piece' in current) current.piece(bytes);
    },
    end: () => {
      if ('end' in current) current.end();
    },
    packet: (packet) => {
      if ('packet' in current) current.packet(packet);
    },
  };
}
