import { parseBanner } from '../../phone/adb/banner.js';
import { MalformedPacket } from '../../phone/adb/packet-parser.js';
import {
  Command,
  MAX_PAYLOAD_BYTES,
  MAX_PAYLOAD_V1_BYTES,
  VERSION_MIN,
  VERSION_SKIP_CHECKSUM,
  commandName,
  type Packet,
  type PacketHeader,
} from '../../phone/adb/packet.js';
import type { Agreement } from './agreement.js';

/** A side's CNXN. */
export interface Greeting {
  version: number;
  maxPayloadBytes: number;
  banner: Buffer;
}

/** Accepts nothing before CNXN, and no CNXN of a size that no peer sends. */
export function checkGreetingHeader({ command, length }: PacketHeader, side: 'client' | 'phone'): void {
  if (command !== Command.CNXN) throw new MalformedPacket(`${commandName(command)} from the ${side} before its CNXN`);
  if (length > MAX_PAYLOAD_V1_BYTES) throw new MalformedPacket(`CNXN of ${length} bytes from the ${side}`);
}

export function greetingOf({ arg0, arg1, payload }: Packet): Greeting {
  if (arg0 < VERSION_MIN) throw new MalformedPacket(`protocol version ${arg0}`);
  if (arg1 < SMALLEST_PAYLOAD_BYTES) throw new MalformedPacket(`largest payload of ${arg1} bytes`);
  // Passed on unchanged, except that neither the relay nor a peer allocates more than 1 MiB for a packet.
  return { version: arg0, maxPayloadBytes: Math.min(arg1, MAX_PAYLOAD_BYTES), banner: Buffer.from(payload) };
}

/** Smaller ones could not carry a service name. */
const SMALLEST_PAYLOAD_BYTES = 256;

/** Computes the agreement of two greetings, as both peers do. */
export function agreementOf(client: Greeting, phone: Greeting): Agreement & { checksum: boolean } {
  const both = [client, phone].map(({ banner }) => new Set(parseBanner(banner).features));
  return {
    maxPayloadBytes: Math.min(client.maxPayloadBytes, phone.maxPayloadBytes),
    delayedAck: both.every((features) => features.has('delayed_ack')),
    checksum: Math.min(client.version, phone.version) < VERSION_SKIP_CHECKSUM,
  };
}
