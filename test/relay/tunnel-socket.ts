import { once } from 'node:events';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';

/** A refused handshake: an ordinary response of the REST API. */
export class Refused extends Error {
  readonly status: number;
  readonly body: { error: string; message: string };

  constructor(status: number, body: { error: string; message: string }) {
    super(`${status} ${body.error}: ${body.message}`);
    this.status = status;
    this.body = body;
  }
}

/** Opens `GET …/adb/connect`, by https with any certificate. Throws Refused. */
export async function openTunnel(baseUrl: string, device: string, key: string): Promise<WebSocket> {
  const ws = new WebSocket(`${baseUrl.replace(/^http/, 'ws')}/v1/devices/${device}/adb/connect`, {
    headers: { authorization: `Bearer ${key}` },
    perMessageDeflate: false,
    rejectUnauthorized: false,
  });
  return new Promise((resolve, reject) => {
    ws.once('open', () => resolve(ws)).once('error', reject);
    ws.once('unexpected-response', (_request, response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        reject(new Refused(response.statusCode ?? 0, JSON.parse(Buffer.concat(parts).toString()) as Refused['body']));
      });
    });
  });
}

/** The code and reason with which a WebSocket is closed. */
export async function closeOf(ws: WebSocket): Promise<{ code: number; reason: string }> {
  const [code, reason] = (await once(ws, 'close')) as [number, Buffer];
  return { code, reason: reason.toString() };
}

/** Opens a tunnel for a connection of adb's server, and carries the connection through it. */
export function carryOver(client: Socket, opening: Promise<WebSocket>): void {
  client.pause();
  opening.then(
    (ws) => {
      carry(client, ws);
      client.resume();
    },
    () => client.destroy(),
  );
}

/** Carries a connection of adb's server through a WebSocket, each side no faster than the other, until one of them ends. */
function carry(client: Socket, ws: WebSocket): void {
  ws.on('message', (piece: Buffer) => {
    if (client.write(piece)) return;
    ws.pause();
    client.once('drain', () => ws.resume());
  });
  ws.once('close', () => client.destroy());
  client.on('data', (piece) => {
    if (ws.readyState !== WebSocket.OPEN) return;
    client.pause();
    ws.send(piece, () => client.resume());
  });
  client.once('close', () => ws.close());
}
