import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { expect } from 'chai';
import { type WebSocket, WebSocketServer } from 'ws';
import { platformWait } from '../../../client/src/platform.js';
import { until } from '../../../testing/until.js';
import type { Invocation } from '../command/command.js';
import { Failure } from '../output/failure.js';
import type { Service } from '../service/connection.js';
import { openTunnel, type Tunnel } from './tunnel.js';

describe('a tunnel', () => {
  let edge: Server;
  let sockets: WebSocketServer;
  let accepted: WebSocket[];
  /** The response to a handshake in place of an upgrade. */
  let refusal: { status: number; body: string } | undefined;
  let requests: { url: string; key: string }[];
  let tunnel: Tunnel;
  let notes: string[];
  let drops: number;

  beforeEach(async () => {
    [accepted, requests, notes, drops, refusal] = [[], [], [], 0, undefined];
    edge = createServer();
    sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
    edge.on('upgrade', (request, socket, head) => {
      requests.push({ url: request.url ?? '', key: request.headers.authorization ?? '' });
      if (refusal !== undefined) {
        const { status, body } = refusal;
        socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);
      } else sockets.handleUpgrade(request, socket, head, (ws) => accepted.push(ws));
    });
    edge.listen(0, '127.0.0.1');
    await once(edge, 'listening');
    const url = `http://127.0.0.1:${(edge.address() as AddressInfo).port}/v1`;
    const terminal = { note: (text: string) => void notes.push(text) } as unknown as Invocation['terminal'];
    const phone = { request: async () => new Response('{"adb": {"enabled": false, "sessions": []}}') };
    const service = { url, key: 'cp_secret', phone } as unknown as Service;
    tunnel = await openTunnel({ terminal, wait: platformWait }, service, 'demo', 0);
    tunnel.onDropped(() => {
      drops++;
    });
  });
  afterEach(async () => {
    await tunnel.close();
    for (const ws of accepted) ws.terminate();
    edge.closeAllConnections();
    await new Promise((resolve) => edge.close(resolve));
  });

  const dial = (): Socket => connect(Number(tunnel.serial.split(':')[1]), '127.0.0.1').on('error', () => undefined);

  it('carries bytes both ways, with the key in the header', async () => {
    const adb = dial();
    await until(() => accepted.length === 1);
    const [phone] = accepted;
    const heard = once(phone!, 'message');
    adb.write('CNXN');
    expect(String((await heard)[0])).to.equal('CNXN');
    phone!.send(Buffer.from('AUTH'));
    expect(String((await once(adb, 'data'))[0])).to.equal('AUTH');
    expect(requests).to.deep.equal([{ url: '/v1/devices/demo/adb/connect', key: 'Bearer cp_secret' }]);
  });

  it('reads adb no faster than the service does, and loses nothing', async () => {
    const adb = dial();
    await until(() => accepted.length === 1);
    const [phone] = accepted;
    phone!.pause();
    // Far more than what kernels keep for two connections.
    const bytes = Buffer.alloc(24 * 1024 * 1024, 7);
    let isWritten = false;
    adb.write(bytes, () => (isWritten = true));
    await until(() => adb.bytesWritten > 0);
    for (let last = -1; last !== adb.bytesWritten - adb.writableLength;) {
      last = adb.bytesWritten - adb.writableLength;
      await platformWait(50);
    }
    expect(isWritten).to.equal(false);
    let received = 0;
    phone!.on('message', (data: Buffer) => {
      received += data.length;
    });
    phone!.resume();
    await until(() => received === bytes.length);
  });

  it('reads the service no faster than adb does, and loses nothing', async () => {
    const adb = dial();
    adb.pause();
    await until(() => accepted.length === 1);
    const [phone] = accepted;
    const piece = Buffer.alloc(256 * 1024, 3);
    const pieces = 192;
    for (let at = 0; at < pieces; at++) phone!.send(piece);
    for (let last = -1; last !== phone!.bufferedAmount;) {
      last = phone!.bufferedAmount;
      await platformWait(50);
    }
    expect(phone!.bufferedAmount).to.be.greaterThan(16 * 1024 * 1024);
    let received = 0;
    adb.on('data', (data: Buffer) => {
      received += data.length;
    });
    adb.resume();
    await until(() => received === piece.length * pieces);
  });

  it('closes what adb closes, and is there for the next connection', async () => {
    const first = dial();
    await until(() => accepted.length === 1);
    const closed = once(accepted[0]!, 'close');
    first.end();
    await closed;
    await until(() => drops === 1);
    dial();
    await until(() => accepted.length === 2);
  });

  it('goes on after a service that is away, with the reason for people', async () => {
    const adb = dial();
    await until(() => accepted.length === 1);
    accepted[0]!.send('{"type":"error","error":"unavailable","message":"The phone \\u001b[31mbroke off."}');
    accepted[0]!.close(1013, 'unavailable');
    await once(adb, 'close');
    await until(() => drops === 1);
    expect(notes).to.deep.equal(['cloudphone: demo: The phone \\x1b[31mbroke off.']);
    expect(tunnel.loss()?.message).to.equal('The connection to demo was lost: The phone \\x1b[31mbroke off.');
    refusal = { status: 503, body: '{"error":"unavailable","message":"Away."}' };
    await once(dial(), 'close');
    await until(() => drops === 2);
    expect(notes[1]).to.equal('cloudphone: demo: Away.');
  });

  it('says that a connection was cut, with another error for each', async () => {
    expect(tunnel.loss()).to.equal(undefined);
    const losses: unknown[] = [];
    for (const count of [1, 2]) {
      dial();
      await until(() => accepted.length === count);
      accepted.at(-1)!.terminate();
      await until(() => drops === count);
      losses.push(tunnel.loss());
    }
    expect(notes).to.deep.equal(Array.from({ length: 2 }, () => 'cloudphone: demo: The connection was cut.'));
    expect(losses[0]).to.be.instanceOf(Failure).and.not.to.equal(losses[1]);
  });

  for (const [code, words, status] of [
    [1008, 'The key may not use demo any more.', 1],
    [4403, 'The relay of demo was turned off.', 1],
    [4404, 'demo is deleted.', 4],
    [4408, 'which was not used', 124],
  ] as const)
    it(`ends for good when the service closes with ${code}`, async () => {
      dial();
      await until(() => accepted.length === 1);
      accepted[0]!.close(code);
      const fault = (await tunnel.ended.catch((error: unknown) => error)) as Failure;
      expect(fault).to.be.instanceOf(Failure);
      expect([fault.message.includes(words), fault.status]).to.deep.equal([true, status]);
    });

  it('ends for good when the service refuses the key', async () => {
    refusal = { status: 401, body: '{"error":"unauthorized","message":"This key is revoked."}' };
    dial();
    expect(String(await tunnel.ended.catch((error: unknown) => error))).to.include('This key is revoked.');
  });

  it('closes connections above its bound', async () => {
    const dialled = Array.from({ length: 80 }, dial);
    const closed = dialled.map((socket) => once(socket, 'close'));
    await until(() => accepted.length === 8);
    await Promise.race(closed);
    await until(() => dialled.filter(({ destroyed }) => destroyed).length === 72);
    expect(accepted).to.have.length(8);
  });

  it('closes with connections and handshakes under way', async () => {
    const adb = dial();
    await until(() => accepted.length === 1);
    edge.removeAllListeners('upgrade');
    let asked: Duplex | undefined;
    edge.on('upgrade', (_, socket) => (asked = socket));
    const second = dial();
    await until(() => asked !== undefined);
    const closed = Promise.all([once(adb, 'close'), once(second, 'close')]);
    await tunnel.close();
    await closed;
    asked?.destroy();
  });
});
