import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener, type Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createRouterTransport } from '@connectrpc/connect';
import { expect } from 'chai';
import { Command, encodePacket } from '../../phone/adb/packet.js';
import { RelayAdminService } from '../../proto/gen/cloudphone/relay/v1/relay_admin_service_pb.js';
import { FakeClock, settled } from '../../testing/fake-clock.js';
import { freePort } from '../../testing/free-port.js';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import type { ComponentId } from '../components.js';
import { CHECK_TIMEOUT_MS } from '../limits.js';
import { checksOf, type ProbeTargets } from './checks.js';
import { type Outcomes, runChecks } from './run-checks.js';

const unauthorized = JSON.stringify({ error: 'unauthorized', message: 'No valid API key.' });

describe('the checks of the probe targets', () => {
  const opened: (Server | HttpServer)[] = [];
  const sockets = new Set<Socket>();

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    for (const server of opened.splice(0)) await new Promise((resolve) => server.close(resolve));
  });

  async function listening(server: Server | HttpServer): Promise<number> {
    opened.push(server);
    server.on('connection', (socket: Socket) => void sockets.add(socket.on('error', () => undefined)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  async function edge(respond: RequestListener): Promise<URL> {
    return new URL(`http://127.0.0.1:${await listening(createHttpServer(respond))}`);
  }

  /** A relay service whose relays are on at these ports, one list for each time that it is asked. */
  function relayService(...lists: number[][]) {
    let asked = 0;
    return createRouterTransport((router) =>
      router.service(RelayAdminService, {
        listRelays: () => {
          const ports = lists[Math.min(asked++, lists.length - 1)] ?? [];
          return { relays: ports.map((port) => ({ device: 'a', adb: { enabled: true, host: '127.0.0.1', port } })) };
        },
      }),
    );
  }

  async function check(id: ComponentId, targets: Partial<ProbeTargets>): Promise<Outcomes[ComponentId]> {
    const checks = checksOf({ apiUrl: new URL('http://127.0.0.1:1'), relay: undefined, screen: undefined, ...targets });
    const never = async () => ({ state: 'not_checked' }) as const;
    const only = { api: never, live: never, adb: never, [id]: checks[id] };
    const signal = new AbortController().signal;
    return (await runChecks(only, { clock: systemClock, log: silentLog, signal }))[id];
  }

  for (const id of ['api', 'live'] as const) {
    describe(id, () => {
      it('works when a wrong key is refused in JSON, with a status of 401', async () => {
        const seen: unknown[] = [];
        const apiUrl = await edge(({ url, headers }, response) => {
          seen.push([url, headers.upgrade, headers.authorization?.startsWith('Bearer cp_')]);
          response.writeHead(401, { 'content-type': 'application/json' }).end(unauthorized);
        });
        expect(await check(id, { apiUrl })).to.deep.equal({ state: 'ok' });
        expect(seen).to.deep.equal([
          id === 'api' ? ['/v1/models', undefined, true] : ['/v1/devices/x/live', 'websocket', true],
        ]);
      });

      it('works when too many wrong keys came from our address', async () => {
        const apiUrl = await edge((_, response) =>
          response.writeHead(429).end('{"error":"rate_limited","message":""}'),
        );
        expect(await check(id, { apiUrl })).to.deep.equal({ state: 'ok' });
      });

      const wrong: [string, number, string, string][] = [
        [
          'an error of the service',
          503,
          '{"error":"unavailable","message":"10.0.0.1"}',
          'responded with an error (503)',
        ],
        ['no such route', 404, '{"error":"not_found","message":""}', 'responded in an unexpected way (404)'],
        ['a page of something else', 401, '<html>', 'responded in an unexpected way (401)'],
        ['JSON that is no error', 401, 'null', 'responded in an unexpected way (401)'],
        ['another kind of error', 401, '{"error":"forbidden"}', 'responded in an unexpected way (401)'],
        ['a redirect', 302, unauthorized, 'responded in an unexpected way (302)'],
        ['a response without end', 401, 'x'.repeat(100_000), 'responded in an unexpected way'],
      ];
      for (const [name, status, body, what] of wrong) {
        it(`fails on ${name}`, async () => {
          const apiUrl = await edge((_, response) => response.writeHead(status, { location: '/' }).end(body));
          expect(await check(id, { apiUrl })).to.deep.equal({ state: 'failing', what });
        });
      }

      it('fails when nothing listens', async () => {
        const apiUrl = new URL(`http://127.0.0.1:${await freePort()}`);
        expect(await check(id, { apiUrl })).to.deep.equal({ state: 'failing', what: 'could not be reached' });
      });

      it('fails when something other than HTTP responds', async () => {
        const port = await listening(createServer((socket) => socket.end('SSH-2.0-x\r\n')));
        const apiUrl = new URL(`http://127.0.0.1:${port}`);
        expect(await check(id, { apiUrl })).to.deep.equal({ state: 'failing', what: 'responded in an unexpected way' });
      });

      it('fails when the connection ends in the middle', async () => {
        const apiUrl = await edge((_, response) => {
          response.writeHead(401, { 'content-length': '500' });
          response.write('{"error"', () => response.destroy());
        });
        expect(await check(id, { apiUrl })).to.include({ what: 'broke off in the middle of a response' });
      });
    });
  }

  it('live: fails when anybody is let in', async () => {
    const server = createHttpServer();
    server.on('upgrade', (_, socket) =>
      socket.write('HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    );
    const apiUrl = new URL(`http://127.0.0.1:${await listening(server)}`);
    expect(await check('live', { apiUrl })).to.include({ what: 'responded in an unexpected way (101)' });
  });

  it('live: fails when the service that makes pictures does not serve', async () => {
    const apiUrl = await edge((_, response) => response.writeHead(401).end(unauthorized));
    const screen = createRouterTransport(() => undefined);
    expect(await check('live', { apiUrl, screen })).to.deep.equal({ state: 'failing', what: 'cannot show any screen' });
  });

  describe('adb', () => {
    it('is not checked without a way to the relay service', async () => {
      expect(await check('adb', {})).to.deep.equal({ state: 'not_checked' });
    });

    it('is the relay service’s response while no relay is on', async () => {
      expect(await check('adb', { relay: relayService([]) })).to.deep.equal({ state: 'ok' });
      const silent = createRouterTransport(() => undefined);
      expect(await check('adb', { relay: silent })).to.deep.equal({ state: 'failing', what: 'does not respond' });
    });

    for (const command of [Command.CNXN, Command.AUTH]) {
      it(`works when a relay responds with packet ${command}`, async () => {
        const greetings: string[] = [];
        const port = await listening(
          createServer((socket) =>
            socket.once('data', (data) => {
              greetings.push(data.toString('latin1', 0, 4));
              socket.write(encodePacket({ command, arg0: 1, arg1: 1, payload: Buffer.from('x') }, { checksum: true }));
            }),
          ),
        );
        expect(await check('adb', { relay: relayService([port]) })).to.deep.equal({ state: 'ok' });
        expect(greetings).to.deep.equal(['CNXN']);
      });
    }

    it('works when a relay resets the connection of an address that it does not know', async () => {
      const port = await listening(createServer((socket) => socket.resetAndDestroy()));
      expect(await check('adb', { relay: relayService([port]) })).to.deep.equal({ state: 'ok' });
    });

    it('fails when a relay that is on cannot be reached', async () => {
      const port = await freePort();
      expect(await check('adb', { relay: relayService([port]) })).to.include({ what: 'could not be reached' });
    });

    it('fails when something else has the port', async () => {
      const port = await listening(createServer((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')));
      expect(await check('adb', { relay: relayService([port]) })).to.include({
        what: 'responded in an unexpected way',
      });
    });

    it('goes by the relays that are still on', async () => {
      const [gone, other] = [await freePort(), await listening(createServer((socket) => socket.resetAndDestroy()))];
      expect(await check('adb', { relay: relayService([gone, other]) })).to.deep.equal({ state: 'ok' });
      expect(await check('adb', { relay: relayService([gone], []) })).to.deep.equal({ state: 'ok' });
    });
  });

  it('end after 10 s, and all at once when the service ends', async () => {
    const apiUrl = await edge(() => undefined);
    const clock = new FakeClock();
    const ending = new AbortController();
    const checks = checksOf({ apiUrl, relay: undefined, screen: undefined });
    const running = runChecks(checks, { clock, log: silentLog, signal: ending.signal });
    await settled();
    clock.turn(CHECK_TIMEOUT_MS);
    const failing = { state: 'failing', what: 'did not respond within 10 s' };
    expect(await running).to.deep.equal({ api: failing, live: failing, adb: { state: 'not_checked' } });
    const cut = runChecks(checks, { clock, log: silentLog, signal: ending.signal });
    ending.abort(new Error('the service ends'));
    expect(await cut.catch(String)).to.equal('Error: the service ends');
    expect(clock.timers).to.equal(0);
  });

  it('that have a fault of their own show neither ok nor a problem', async () => {
    const broken = () => Promise.reject(new TypeError('x is not a function'));
    const checks = { api: broken, live: broken, adb: broken };
    const signal = new AbortController().signal;
    const outcomes = await runChecks(checks, { clock: systemClock, log: silentLog, signal });
    expect(outcomes.api).to.deep.equal({ state: 'not_checked' });
  });
});
