import { parseBanner } from '../../phone/adb/banner.js';
import { MalformedPacket } from '../../phone/adb/packet-parser.js';
import {
  Command,
  MAX_PAYLOAD_BYTES,
  MAX_PAYLOAD_V1_BYTES,
  MIN_VERSION,
  VERSION_SKIP_CHECKSUM,
  commandName,
  type Packet,
  type PacketHeader,
} from '../../phone/adb/packet.js';
import type { Agreement } from './agreement.js';

/** The content of the CNXN packet with which the client, or the phone, begins. */
export interface Greeting {
  version: number;
  maxPayloadBytes: number;
  banner: Buffer;
}

/** Throws MalformedPacket when the first packet of a side is not a CNXN, or is a CNXN larger than real peers send. */
export function checkGreetingHeader({ command, length }: PacketHeader, side: 'client' | 'phone'): void {
  if (command !== Command.CNXN) throw new MalformedPacket(`${commandName(command)} from the ${side} before its CNXN`);
  if (length > MAX_PAYLOAD_V1_BYTES) throw new MalformedPacket(`CNXN of ${length} bytes from the ${side}`);
}

export function greetingOf({ arg0, arg1, payload }: Packet): Greeting {
  if (arg0 < MIN_VERSION) throw new MalformedPacket(`protocol version ${arg0}`);
  if (arg1 < SMALLEST_PAYLOAD_BYTES) throw new MalformedPacket(`largest payload of ${arg1} bytes`);
  // The relay passes the greeting on unchanged, except for its largest payload. A limit of 1 MiB bounds the memory for each packet.
  return { version: arg0, maxPayloadBytes: Math.min(arg1, MAX_PAYLOAD_BYTES), banner: Buffer.from(payload) };
}

/** A packet with a smaller payload could not carry the name of a service, bytes. */
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
