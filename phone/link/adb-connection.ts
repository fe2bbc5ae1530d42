import type { Duplex } from 'node:stream';
import type { AdbDaemonConnection, AdbPacketData, AdbPacketInit } from '@yume-chan/adb';
import { type Consumable, ReadableStream, WritableStream } from '@yume-chan/stream-extra';
import { encodeHeader, MAX_PAYLOAD_BYTES } from '../adb/packet.js';
import { PacketParser } from '../adb/packet-parser.js';

/** Packets read ahead of their reader; the socket is paused beyond that, so a phone that floods is held back by TCP. */
const PACKETS_READ_AHEAD = 16;

/**
 * A connected socket as the pair of streams that the ADB library speaks through. Our own packet parser sits in between: it
 * refuses packets over 1 MiB before making room for them. A malformed packet or a broken socket ends both streams with an error.
 */
export function adbConnection(socket: Duplex): AdbDaemonConnection {
  // Checksums are never verified: peers of version 0x01000001 send 0, and TCP has its own.
  const parser = new PacketParser({ maxPayloadBytes: () => MAX_PAYLOAD_BYTES, verifyChecksum: () => false });
  const readable = new ReadableStream<AdbPacketData>(
    {
      start: (controller) => {
        const end = (error: Error): void => {
          socket.destroy();
          try {
            controller.error(error);
          } catch {
            // The stream has ended already, with an error or because its reader cancelled it.
          }
        };
        socket.on('data', (chunk: Buffer) => {
          try {
            for (const packet of parser.push(chunk)) controller.enqueue(packet);
          } catch (error) {
            end(error instanceof Error ? error : new Error(String(error)));
            return;
          }
          if ((controller.desiredSize ?? 0) <= 0) socket.pause();
        });
        socket.on('error', end);
        socket.on('close', () => end(new Error('the phone closed the connection')));
      },
      pull: () => void socket.resume(),
      cancel: () => void socket.destroy(),
    },
    { highWaterMark: PACKETS_READ_AHEAD },
  );
  const writable = new WritableStream<Consumable<AdbPacketInit>>({
    write: (chunk) =>
      chunk.tryConsume(async ({ command, arg0, arg1, payload, checksum }) => {
        const header = encodeHeader({ command, arg0, arg1 }, payload, checksum !== 0);
        const whole = payload.length === 0 ? header : Buffer.concat([header, payload]);
        // The write never fails. The library waits for some packets only and ignores the others, whose rejection would end the process. The
        // readable side reports that the phone is gone: it errors when the socket closes.
        await new Promise<void>((resolve) => {
          socket.write(whole, (error) => {
            if (error) socket.destroy();
            resolve();
          });
        });
      }),
    close: () => void socket.destroy(),
    abort: () => void socket.destroy(),
  });
  return { readable, writable };
}
