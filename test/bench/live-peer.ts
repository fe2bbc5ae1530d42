import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { type WebSocket, WebSocketServer } from 'ws';
import { systemClock } from '../../kit/async/clock.js';
import { samePixels, toChannels } from '../../phone/screen/pixels.js';
import type { Pixels } from '../../phone/screen/pixels.js';
import { openTestSession } from '../../screen-service/testing/screen-world.js';
import { openTestCall } from '../../testing/open-test-call.js';
import { identityAt } from './identity-at.js';

/** Captures begin so far apart at the least, ms: as often as a viewer of ours gets frames. */
const EVERY_MS = 1_000 / 30;

/**
 * The peer of ours: bare `ws` that sends each picture to everyone, from captures on a kept transport and bare sharp. It
 * checks nobody's permission, waits for no slow viewer, and takes no input.
 */
export async function startPeer(phonePort: number): Promise<{ url: string; close(): Promise<void> }> {
  const phoneSession = openTestSession(phonePort, {}, systemClock, await identityAt(phonePort));
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  await once(server, 'listening');
  const viewers = new Set<WebSocket>();
  let latest: Buffer | undefined;
  server.on('connection', (ws) => {
    viewers.add(ws);
    if (latest !== undefined) ws.send(latest);
    ws.on('close', () => viewers.delete(ws)).on('error', () => undefined);
  });
  let isOpen = true;
  let last: Pixels | undefined;
  let number = 0;
  const encodeAndSend = async (pixels: Pixels): Promise<void> => {
    const { data, channels } = toChannels(pixels);
    const image = sharp(data, { raw: { width: pixels.width, height: pixels.height, channels } });
    const jpeg = await (channels === 4 ? image.removeAlpha() : image).jpeg({ quality: 80 }).toBuffer();
    const message = Buffer.allocUnsafe(8 + jpeg.length);
    message.writeUInt32BE(++number, 0);
    message.writeUInt32BE(0, 4);
    jpeg.copy(message, 8);
    latest = message;
    for (const ws of viewers) ws.send(message);
  };
  const loop = async (offsetMs: number): Promise<void> => {
    await systemClock.sleep(offsetMs);
    while (isOpen) {
      if (viewers.size === 0) {
        await systemClock.sleep(EVERY_MS);
        continue;
      }
      const beganMs = performance.now();
      const { pixels } = await phoneSession.captures.next(openTestCall());
      const isNew = last === undefined || (pixels !== last && !samePixels(last, pixels));
      last = pixels;
      if (isNew) await encodeAndSend(pixels);
      await systemClock.sleep(Math.max(0, 2 * EVERY_MS - (performance.now() - beganMs)));
    }
  };
  // Two captures under way, as ours has.
  const loops = [loop(0), loop(EVERY_MS)];
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      isOpen = false;
      await Promise.all(loops);
      phoneSession.close();
      for (const ws of viewers) ws.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
