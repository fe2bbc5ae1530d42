import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { systemClock } from '../../kit/async/clock.js';
import { ScrcpySession } from '../../screen-service/live/video/scrcpy-session.js';
import type { VideoUnit } from '../../screen-service/live/video/video-unit.js';
import { openTestSession } from '../../screen-service/testing/screen-world.js';
import { identityAt } from './identity-at.js';

const HEADER_BYTES = 9;

/** The peer of our video: bare `ws` that sends each unit of a server on the phone to its viewer, as soon as it comes. */
export async function startVideoPeer(
  phonePort: number,
  file: Uint8Array,
): Promise<{ url: string; close(): Promise<void> }> {
  const phoneSession = openTestSession(phonePort, {}, systemClock, await identityAt(phonePort));
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  await once(server, 'listening');
  server.on('connection', (ws: WebSocket) => {
    let number = 0;
    const send = ({ data, isKey, configuration }: VideoUnit): void => {
      if (number === 0) ws.send(JSON.stringify({ type: 'hello', format: 'h264', codec: configuration.codec }));
      const message = Buffer.alloc(HEADER_BYTES + data.length);
      message.writeUInt32BE(++number, 0);
      message.writeUInt8(isKey ? 1 : 0, 8);
      data.copy(message, HEADER_BYTES);
      ws.send(message);
    };
    const session = new ScrcpySession(phoneSession, file, { maxSize: Infinity, fps: 30 }, send);
    session.run().catch(() => ws.terminate());
    ws.on('close', () => session.stop()).on('error', () => undefined);
  });
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const ws of server.clients) ws.terminate();
      phoneSession.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
