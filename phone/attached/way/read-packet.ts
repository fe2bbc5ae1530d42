import type { Duplex } from 'node:stream';
import type { Clock } from '../../../kit/async/clock.js';
import { MalformedPacket, PacketParser } from '../../adb/packet-parser.js';
import { HEADER_BYTES, MAX_PAYLOAD_V1_BYTES, type Packet, packetHeader } from '../../adb/packet.js';
import { readExactly } from './read-exactly.js';

/**
 * Reads one packet of a handshake from a stream and leaves the bytes after it there, so that the stream can be piped on afterwards.
 * Throws MalformedPacket for a packet that no peer sends before it is connected. After `ms` without a packet the stream is destroyed.
 */
export async function readPacket(stream: Duplex, { clock, ms }: { clock: Clock; ms: number }): Promise<Packet> {
  const timer = clock.after(ms, () => stream.destroy(new Error(`no packet within ${ms} ms`)));
  try {
    const header = await readExactly(stream, HEADER_BYTES);
    const { length } = packetHeader.read(header);
    if (length > MAX_PAYLOAD_V1_BYTES) throw new MalformedPacket(`a packet of ${length} bytes in a handshake`);
    const parser = new PacketParser({ maxPayloadBytes: () => MAX_PAYLOAD_V1_BYTES, verifyChecksum: () => false });
    const [packet] = [...parser.push(Buffer.concat([header, await readExactly(stream, length)]))];
    if (packet === undefined) throw new MalformedPacket('a header without its payload');
    return packet;
  } finally {
    timer.cancel();
  }
}
