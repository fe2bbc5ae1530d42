import { request, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { AllowedHosts } from '../net/allowed-hosts.js';
import { systemClock } from '../async/clock.js';
import { silentLog } from '../log/log.js';
import type { PageLimits } from '../https/page-server.js';
import { listenRedirect } from './listen-redirect.js';

describe('the redirect from http to https', () => {
  let listener: { port: number; close(): Promise<void> } | undefined;
  afterEach(() => listener?.close());

  async function listen(httpsPort = 8443, limits: Partial<PageLimits> = {}): Promise<number> {
    const place = { host: '127.0.0.1', port: 0, httpsPort, hosts: new AllowedHosts(['phones.example']) };
    const rest = { behindProxy: false, clock: systemClock, log: silentLog, limits };
    listener = await listenRedirect({ ...place, ...rest });
    return listener.port;
  }

  function send(port: number, path: string, host: string, method = 'GET'): Promise<[number, IncomingHttpHeaders]> {
    return new Promise((resolve, reject) => {
      request({ port, host: '127.0.0.1', path, method, headers: { host }, agent: false }, (response) => {
        response.resume();
        resolve([response.statusCode ?? 0, response.headers]);
      })
        .once('error', reject)
        .end();
    });
  }

  it('keeps the host, the path and the method', async () => {
    const port = await listen();
    for (const [host, path, location] of [
      ['phones.example', '/v1/devices?limit=1', 'https://phones.example:8443/v1/devices?limit=1'],
      ['phones.example:80', '//evil.example/a', 'https://phones.example:8443//evil.example/a'],
      ['127.0.0.1', 'http://evil.example/a', 'https://127.0.0.1:8443/a'],
      ['[::1]:80', '/', 'https://[::1]:8443/'],
      ['localhost', '*', 'https://localhost:8443/'],
    ] as const) {
      const [status, headers] = await send(port, path, host, 'POST');
      expect([status, headers.location]).to.deep.equal([308, location]);
    }
  });

  it('names no port where it is that of https', async () => {
    expect((await send(await listen(443), '/a', 'phones.example'))[1].location).to.equal('https://phones.example/a');
  });

  for (const [host, status] of [
    ['evil.example', 403],
    ['phones.example.evil.example', 403],
    ['user@evil.example', 400],
    ['phones.example/..', 400],
    ['evil.example:1@phones.example', 400],
  ] as const) {
    it(`leads nobody to the host ${host}`, async () => {
      const [given, headers] = await send(await listen(), '/a', host);
      expect(given).to.equal(status);
      expect(headers).not.to.have.property('location');
    });
  }

  it('closes silent and slow connections, ten times as many as the bound', async () => {
    const most = 5;
    const port = await listen(443, { maxConnectionsOfAddress: most, requestTimeoutMs: 200, silenceMs: 200 });
    const sockets = await Promise.all(Array.from({ length: 10 * most }, () => open(port)));
    const closed = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: phon');
    await Promise.all(closed);
    expect((await send(port, '/', 'phones.example'))[0]).to.equal(308);
  });

  async function open(port: number): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    await once(socket, 'connect');
    return socket;
  }
});
