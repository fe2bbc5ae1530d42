import { layout, u32 } from './layout.js';

/** One ADB message: a 24-byte header and `payload.length` bytes. */
export interface Packet {
  command: number;
  /** The sender's own stream id; CNXN: protocol version. */
  arg0: number;
  /** The receiver's stream id; CNXN: largest payload accepted, bytes. */
  arg1: number;
  payload: Buffer;
}

/** The commands are four letters read as a little-endian number. */
export const Command = {
  CNXN: 0x4e584e43,
  OPEN: 0x4e45504f,
  OKAY: 0x59414b4f,
  WRTE: 0x45545257,
  CLSE: 0x45534c43,
  AUTH: 0x48545541,
  STLS: 0x534c5453,
  /** Obsolete; ignored by everyone. */
  SYNC: 0x434e5953,
} as const;

/** From this version on `check` is ignored. */
export const VERSION_SKIP_CHECKSUM = 0x01000001;
export const MIN_VERSION = 0x01000000;

export const MAX_PAYLOAD_V1_BYTES = 4096;
export const MAX_PAYLOAD_BYTES = 1024 * 1024;

export interface PacketHeader {
  command: number;
  arg0: number;
  arg1: number;
  /** Payload bytes that follow. */
  length: number;
  /** Sum of the payload's bytes modulo 2^32, or 0 between peers that both skip it. */
  check: number;
  /** `command` with every bit inverted. */
  magic: number;
}

export const packetHeader = layout<PacketHeader>({
  command: u32,
  arg0: u32,
  arg1: u32,
  length: u32,
  check: u32,
  magic: u32,
});

export const HEADER_BYTES = packetHeader.sizeBytes;

/** Returns the header of a packet with this payload. `check` is the sum of the payload's bytes with `checksum`, else 0. */
export function encodeHeader(
  packet: Omit<Packet, 'payload'>,
  payload: Uint8Array | readonly Uint8Array[] | undefined,
  checksum: boolean,
): Buffer {
  const parts = payload === undefined ? [] : payload instanceof Uint8Array ? [payload] : payload;
  const { command, arg0, arg1 } = packet;
  return packetHeader.write({
    command,
    arg0,
    arg1,
    length: parts.reduce((sum, part) => sum + part.length, 0),
    check: checksum ? parts.reduce((sum, part) => (sum + sumOfBytes(part)) >>> 0, 0) : 0,
    magic: ~command >>> 0,
  });
}

export function encodePacket(packet: Packet, options: { checksum: boolean }): Buffer {
  return Buffer.concat([encodeHeader(packet, packet.payload, options.checksum), packet.payload]);
}

export function sumOfBytes(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum += byte;
  return sum >>> 0;
}

/** Returns the letters of a command, such as `CNXN`, for logs. An unknown command is written as a number. */
export function commandName(command: number): string {
  const found = Object.entries(Command).find(([, value]) => value === command);
  return found?.[0] ?? `0x${command.toString(16)}`;
}
