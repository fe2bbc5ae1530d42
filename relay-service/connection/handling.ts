import type { PacketSink, Route } from '../../phone/adb/packet-scanner.js';
import type { Packet, PacketHeader } from '../../phone/adb/packet.js';

/** What is done with one packet, decided at its header. */
export type Handling =
  | { route: 'forward' | 'drop' }
  | { route: 'watch' | 'take'; piece: (bytes: Buffer) => void; end: () => void }
  | { route: 'gather'; packet: (packet: Packet) => void };

export const FORWARD: Handling = { route: 'forward' };
export const DROP: Handling = { route: 'drop' };

/** A sink whose every packet is handled as `handle` says at its header. */
export function sinkOf(handle: (header: PacketHeader) => Handling): Omit<PacketSink, 'pass'> {
  let at: Handling = DROP;
  return {
    route: (header): Route => {
      at = handle(header);
      return at.route;
    },
    piece: (_header, bytes) => {
      if ('piece' in at) at.piece(bytes);
    },
    end: () => {
      if ('end' in at) at.end();
    },
    packet: (packet) => {
      if ('packet' in at) at.packet(packet);
    },
  };
}
