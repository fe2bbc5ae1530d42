import { once } from 'node:events';
import { expect } from 'chai';
import { pino } from 'pino';
import { ApiError } from '../../kit/errors/api-error.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { Command, encodePacket } from '../../phone/adb/packet.js';
import type { AdbRelay } from '../../proto/gen/cloudphone/relay/v1/relay_pb.js';
import { relayLimits } from '../../relay-service/limits.js';
import { RawAdb } from './raw-adb.js';
import { type RelayWorld, startRelayWorld } from './relay-world.js';
import { listensHere } from '../../testing/listens-here.js';
import { openTunnelPort, tunnelByRpc, type TunnelPort } from './tunnel-port.js';
import { until } from '../../testing/until.js';

const MINUTE_MS = 60_000;
const CHECKSUM = { checksum: true };

describe('the limits of the relay', () => {
  let world: RelayWorld;
  let clock: FakeClock;
  let relay: AdbRelay;
  const clients: RawAdb[] = [];
  const logged: string[] = [];

  beforeEach(async () => {
    clock = new FakeClock();
    logged.length = 0;
    world = await startRelayWorld({ clock, log: pino({}, { write: (line) => void logged.push(line) }) });
    relay = await world.enable();
  });

  afterEach(async () => {
    for (const client of clients.splice(0)) client.end();
    await world.close();
  });

  const greeted = async (): Promise<RawAdb> => kept(await RawAdb.greeted(relay.port!));
  const loggedIn = async (): Promise<RawAdb> => kept(await RawAdb.loggedIn(relay));
  const kept = (client: RawAdb): RawAdb => {
    clients.push(client);
    return client;
  };

  /** Lets time pass until `holds`, no faster than calls are answered. */
  const passUntil = (holds: () => boolean): Promise<void> =>
    until(async () => {
      await clock.pass(500, 500);
      return holds();
    });

  describe('addresses', () => {
    it('resets a connection from another address before anything is sent', async () => {
      relay = await world.enable({ allow: ['203.0.113.0/24', '2001:db8::/32'] });
      expect(await RawAdb.isReset(relay.port!)).to.equal(true);
      await until(async () => (await world.get()).refused['address'] === 1);
      expect((await world.get()).sessions).to.deep.equal([]);
    });

    it('accepts ranges and IPv4 written as IPv6', async () => {
      for (const allow of ['127.0.0.0/8', '::ffff:127.0.0.1', '::ffff:127.0.0.0/104', '0.0.0.0/0']) {
        relay = await world.enable({ allow: [allow] });
        (await greeted()).end();
      }
    });
  });

  it('does not admit IPv4 by ::/0', async () => {
    relay = await world.enable({ allow: ['::/0'] });
    expect(await RawAdb.isReset(relay.port!)).to.equal(true);
  });

  it('logs refused connections together, once a second', async () => {
    const three = [await greeted(), await greeted(), await greeted()];
    for (let count = 0; count < 20; count++) expect(await RawAdb.isReset(relay.port!)).to.equal(true);
    await until(async () => (await world.get()).refused['sessions'] === 20);
    await clock.pass(1_000, 500);
    await until(() => logged.some((line) => line.includes('"count":20')));
    expect(logged.filter((line) => line.includes('refused'))).to.have.length(1);
    for (const client of three) client.end();
  });

  it('logs few lines of what logged-in clients do, over all their connections, and the number of the others each minute', async () => {
    const linesOf = (word: string): Record<string, unknown>[] =>
      logged.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ audit }) => audit === word);
    for (let count = 0; count < 40; count++) {
      const client = await RawAdb.loggedIn(relay);
      for (let refusal = 0; refusal < 5; refusal++) await client.open('reboot:');
      client.end();
      await until(async () => (await world.get()).sessions.length === 0);
    }
    for (const word of ['adb.login', 'adb.refused', 'adb.closed'])
      expect(linesOf(word), word).to.have.length(relayLimits.maxLines);
    await until(async () => {
      await clock.pass(1_000, 1_000);
      return linesOf('adb.closed').length > relayLimits.maxLines;
    });
    const last = (word: string): unknown => linesOf(word).at(-1);
    expect(last('adb.login')).to.include({ count: 20, latest: '127.0.0.1' });
    expect(last('adb.refused')).to.include({ count: 180, rule: 'reboot' });
    expect(last('adb.closed')).to.include({ count: 20 });
    // The next minute has lines of its own. A relay that ends leaves no number behind.
    const client = await loggedIn();
    expect(last('adb.login')).to.have.property('session');
    for (let refusal = 0; refusal < 21; refusal++) await client.open('reboot:');
    await world.disable();
    expect(last('adb.refused')).to.include({ count: 1, rule: 'reboot' });
  });

  it('counts refusals without a dip while they are written', async () => {
    const client = await loggedIn();
    for (let round = 1; round <= 10; round++) {
      for (let count = 0; count < 10; count++) client.openWithoutWaiting('reboot:');
      await until(async () => (await world.get()).refused['reboot'] === round * 10);
      clock.turn(1_000);
      for (let reads = 0; reads < 20; reads++) {
        const now = (await world.get()).refused['reboot'] ?? 0;
        expect(now).to.equal(round * 10);
      }
    }
    const written = async (): Promise<unknown> =>
      (await world.database.collection<{ _id: string; refused: object }>('relays').findOne({ _id: 'ph_test' }))
        ?.refused;
    await until(async () => {
      await clock.pass(500, 500);
      return JSON.stringify(await written()) === '{"reboot":100}';
    });
  });

  it('keeps the counts of refusals over a restart', async () => {
    const client = await loggedIn();
    await client.open('reboot:');
    await world.stopFirst();
    const again = await world.startInstance();
    expect((await again.get()).refused).to.deep.equal({ reboot: 1 });
    relay = { ...relay, port: (await again.get()).port! };
    await (await loggedIn()).open('reboot:');
    expect((await again.get()).refused).to.deep.equal({ reboot: 2 });
  });

  describe('sessions', () => {
    it('are three at a time, and a fourth is reset', async () => {
      const three = [await greeted(), await greeted(), await loggedIn()];
      expect(await RawAdb.isReset(relay.port!)).to.equal(true);
      const { sessions, refused } = await world.get();
      expect(sessions.map(({ loggedIn: isIn }) => isIn)).to.deep.equal([false, false, true]);
      expect(sessions[0]).to.include({ address: '127.0.0.1' });
      expect(refused).to.deep.equal({ sessions: 1 });
      three[0]!.end();
      await until(async () => (await world.get()).sessions.length === 2);
      await greeted();
    });

    it('end when they do not log in within 60 s', async () => {
      const client = await greeted();
      const other = await loggedIn();
      clock.turn(MINUTE_MS - 1);
      expect(client.isClosed).to.equal(false);
      clock.turn(1);
      await client.closed;
      expect((await other.shell('echo on')).stdout).to.equal('on\n');
    });

    it('end when they do not send CNXN within 10 s', async () => {
      const client = kept(await RawAdb.connect(relay.port!));
      await until(async () => (await world.get()).sessions.length === 1);
      clock.turn(10_000);
      await client.closed;
    });

    it('end when they are idle for 30 minutes', async () => {
      const client = await loggedIn();
      clock.turn(29 * MINUTE_MS);
      expect((await client.shell('echo busy')).stdout).to.equal('busy\n');
      clock.turn(30 * MINUTE_MS - 1);
      expect(client.isClosed).to.equal(false);
      clock.turn(1);
      await client.closed;
    });

    it('are not idle while a shell or logcat runs, however silent', async () => {
      const client = await loggedIn();
      const { id, phoneId } = await client.open('shell,v2,TERM=dumb,raw:sleep 100000');
      for (let hours = 0; hours < 6; hours++) {
        clock.turn(20 * MINUTE_MS);
        clock.turn(40 * MINUTE_MS);
      }
      expect(client.isClosed).to.equal(false);
      client.send(Command.CLSE, id, phoneId);
      expect((await client.shell('echo last')).stdout).to.equal('last\n');
      clock.turn(29 * MINUTE_MS);
      expect(client.isClosed).to.equal(false);
      clock.turn(2 * MINUTE_MS);
      await client.closed;
    });
  });

  describe('the lifetime', () => {
    it('is a day by default, and ends sessions, code and port', async () => {
      expect(Number(relay.expiresAt!.seconds) * 1000).to.be.closeTo(clock.now() + 24 * 60 * MINUTE_MS, 1_000);
      relay = await world.enable({ lifetimeS: 120 });
      const client = await loggedIn();
      clock.turn(119_999);
      expect(client.isClosed).to.equal(false);
      clock.turn(1);
      await client.closed;
      expect(await world.get()).to.deep.include({ enabled: false, allow: [], sessions: [] });
      await until(async () => (await world.database.collection('relays').countDocuments()) === 0);
      expect(listensHere(relay.port!)).to.equal(false);
    });

    it('ends when the relay is turned off', async () => {
      const client = await loggedIn();
      expect(listensHere(relay.port!)).to.equal(true);
      expect((await world.disable()).enabled).to.equal(false);
      await client.closed;
      expect(listensHere(relay.port!)).to.equal(false);
      expect((await world.disable()).enabled).to.equal(false);
    });

    it('ends when the key that enabled it is revoked', async () => {
      const client = await loggedIn();
      world.behind.ended.add('key-1');
      await clock.pass(5_000, 500);
      await until(async () => {
        await clock.pass(500, 500);
        return client.isClosed;
      });
      await until(async () => !(await world.get()).enabled);
    });

    it('ends when the device is deleted, and frees the port', async () => {
      const client = await loggedIn();
      world.behind.ended.add('ph_test');
      await until(async () => {
        await clock.pass(500, 500);
        return client.isClosed;
      });
      await until(async () => (await world.database.collection('relays').countDocuments()) === 0);
      expect(listensHere(relay.port!)).to.equal(false);
    });

    it('continues while the device service is away', async () => {
      const client = await loggedIn();
      world.behind.isAway = true;
      world.behind.ended.add('key-1');
      for (let count = 0; count < 10; count++) await clock.pass(1_000, 500);
      expect((await client.shell('echo on')).stdout).to.equal('on\n');
      world.behind.isAway = false;
      await until(async () => {
        await clock.pass(500, 500);
        return client.isClosed;
      });
      await until(async () => !(await world.get()).enabled);
    });

    it('continues when the phone stops, but its sessions end', async () => {
      const client = await loggedIn();
      const { phone } = world.behind;
      world.behind.phone = undefined;
      await until(async () => {
        await clock.pass(500, 500);
        return client.isClosed;
      });
      expect(await RawAdb.isReset(relay.port!)).to.equal(true);
      world.behind.phone = { ...phone!, generation: 2 };
      await loggedIn();
      expect((await world.get()).port).to.equal(relay.port);
    });
  });

  describe('a connection through the API', () => {
    let tunnels: TunnelPort;
    let closed: Promise<number | undefined>;
    beforeEach(async () => {
      tunnels = await openTunnelPort((client) => void (closed = tunnelByRpc(client, world.rpc)));
      relay = await world.enable({ allow: [], tunnel: true, lifetimeS: 1200 });
    });
    afterEach(() => tunnels.close());

    it('ends by 4408 when it sends no CNXN within 10 s, or is idle for 30 minutes', async () => {
      kept(await RawAdb.connect(tunnels.port));
      await until(async () => (await world.get()).sessions.length === 1);
      clock.turn(10_000);
      expect(await closed).to.equal(4408);
      relay = await world.enable({ allow: [], tunnel: true });
      const client = kept(await RawAdb.greeted(tunnels.port));
      clock.turn(29 * MINUTE_MS);
      expect((await client.shell('echo busy')).stdout).to.equal('busy\n');
      clock.turn(30 * MINUTE_MS - 1);
      expect(client.isClosed).to.equal(false);
      clock.turn(1);
      expect(await closed).to.equal(4408);
    });

    it('leaves no session of a client that left before it was connected', async () => {
      for (let turns = 0; turns < 30; turns++) {
        const leaves = new AbortController();
        async function* requests() {
          yield { name: 'testphone' };
        }
        const options = { headers: { authorization: 'key-1' }, signal: leaves.signal };
        const first = world.rpc.connectAdb(requests(), options)[Symbol.asyncIterator]().next();
        first.catch(() => undefined);
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
        leaves.abort();
        await first.catch(() => undefined);
      }
      // Time does not pass, so a session that waits for its end would stay.
      await until(async () => (await world.get()).sessions.length === 0);
    });

    it('ends by 4403 with the lifetime of the relay, by 1001 with the service, and by 1008 with its key', async () => {
      kept(await RawAdb.greeted(tunnels.port));
      clock.turn(20 * MINUTE_MS);
      expect(await closed).to.equal(4403);
      relay = await world.enable({ allow: [], tunnel: true });
      kept(await RawAdb.greeted(tunnels.port));
      world.behind.ended.add('key-1');
      clock.turn(500);
      expect(await closed).to.equal(1008);
      world.behind.ended.clear();
      relay = await world.enable({ allow: [], tunnel: true });
      kept(await RawAdb.greeted(tunnels.port));
      await world.stopFirst();
      expect(await closed).to.equal(1001);
    });

    for (const kind of ['unauthorized', 'forbidden', 'not_found'] as const)
      it(`ends as its caller would be refused anew as ${kind}, and not while nobody can say`, async () => {
        const client = kept(await RawAdb.greeted(tunnels.port));
        world.behind.refusal = new ApiError('unavailable', 'The device service is away.');
        await passUntil(() => world.behind.identified >= 3);
        world.behind.refusal = new ApiError('timeout', 'The device service is slow.');
        await passUntil(() => world.behind.identified >= 6);
        expect((await client.shell('echo on')).stdout).to.equal('on\n');
        world.behind.refusal = new ApiError(kind, 'The key works from other addresses.');
        await passUntil(() => client.isClosed);
        await until(() => logged.some((line) => line.includes('"reason":"key revoked"')));
        // Nothing asks on for a client that is gone.
        const before = world.behind.identified;
        await clock.pass(5_000, 500);
        expect(world.behind.identified).to.equal(before);
      });
  });

  it('cut a refused client that goes on sending, at once and without keeping what it sends', async () => {
    // This client does not hang up when the relay does.
    const client = await RawAdb.greeted(relay.port!, { allowHalfOpen: true });
    clients.push(client);
    const opens = Buffer.concat(
      Array.from({ length: 2_000 }, (_, at) =>
        encodePacket({ command: Command.OPEN, arg0: at + 1, arg1: 0, payload: Buffer.from('tcp:1\0') }, CHECKSUM),
      ),
    );
    // A hundred times what is discarded. The clock stands still, so that only the bytes can end the connection.
    const most = 100 * relayLimits.discardedBytes;
    let sent = 0;
    while (!client.isClosed && sent < most) {
      sent += opens.length;
      if (!client.socket.write(opens))
        await Promise.race([once(client.socket, 'drain').catch(() => []), client.closed]);
    }
    await client.closed;
    expect(client.socket.bytesWritten).to.be.lessThan(most);
    expect((await world.get()).refused['login']).to.equal(relayLimits.refusalsBeforeLogin);
  });
});
