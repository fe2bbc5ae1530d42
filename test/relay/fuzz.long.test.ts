import { expect } from 'chai';
import { connect } from 'node:net';
import { pino } from 'pino';
import { FakeClock } from '../../testing/fake-clock.js';
import { seededRandom } from '../../testing/seeded-random.js';
import { systemClock } from '../../kit/async/clock.js';
import type { AdbRelay } from '../../proto/gen/cloudphone/relay/v1/relay_pb.js';
import { Command } from '../../phone/adb/packet.js';
import { syncHeader } from '../../phone/adb/sync-messages.js';
import { PacketFuzzer } from './packet-fuzzer.js';
import { RawAdb } from './raw-adb.js';
import { type RelayWorld, startRelayWorld } from './relay-world.js';
import { processorMs } from '../../testing/processor-time.js';
import { until } from '../../testing/until.js';

/** `RELAY_FUZZ_PACKETS=5000000 npx mocha …` for the long run; the seed makes the same packets again. */
const PACKETS = Number(process.env['RELAY_FUZZ_PACKETS'] ?? 20_000);
const SEED = Number(process.env['RELAY_FUZZ_SEED'] ?? 20_261_120);

describe(`the relay under ${PACKETS} generated packets (seed ${SEED})`, () => {
  let world: RelayWorld;
  let relay: AdbRelay;

  before(async () => {
    world = await startRelayWorld();
    relay = await world.enable();
  });

  after(() => world.close());

  it('survives, lets nothing through, and serves others meanwhile', async function () {
    this.timeout(900_000 + PACKETS / 2);
    const honest = await RawAdb.loggedIn(relay);
    world.phone.services.clear();
    const fuzzer = new PacketFuzzer(seededRandom(SEED));
    let sent = 0;
    let connections = 0;
    let served = 0;
    const beganBytes = process.memoryUsage().rss;
    let maxBytes = 0;
    const one = async (): Promise<void> => {
      while (sent < PACKETS) {
        connections++;
        const isIn = fuzzer.chance(0.5);
        const client = await (fuzzer.chance(0.8)
          ? isIn
            ? RawAdb.loggedIn(relay)
            : RawAdb.greeted(relay.port!)
          : RawAdb.connect(relay.port!));
        // A slow reader.
        if (fuzzer.chance(0.1)) client.socket.pause();
        client.acknowledges = fuzzer.chance(0.5);
        const length = fuzzer.integer(1, 400);
        for (let count = 0; count < length && !client.isClosed; count++) {
          sent++;
          for (const piece of fuzzer.packet()) {
            client.socket.write(piece);
            if (fuzzer.chance(0.05)) await new Promise(setImmediate);
          }
          if (client.socket.writableLength > 4_000_000) break;
        }
        await new Promise(setImmediate);
        client.socket.resume();
        client.end();
        await client.closed;
        maxBytes = Math.max(maxBytes, process.memoryUsage().rss);
        await until(async () => (await world.get()).sessions.length < 3);
      }
    };
    const others = async (): Promise<void> => {
      while (sent < PACKETS) {
        expect((await honest.shell('echo honest')).stdout).to.equal('honest\n');
        served++;
        honest.received.length = 0;
        await systemClock.sleep(10);
      }
    };
    await Promise.all([one(), others()]);
    expect(served).to.be.greaterThan(5);
    expect(connections).to.be.greaterThan(20);
    const arrived = world.phone.services
      .recent()
      .filter((name) => /^(reboot|root|remount|tcpip|usb|jdwp|reverse|sideload|restore|unroot)/.test(name));
    expect(arrived).to.deep.equal([]);
    honest.end();
    await until(async () => (await world.get()).sessions.length === 0);
    await until(() => !world.phone.machine.processes.list().some(({ name }) => name.startsWith('cat')));
    expect(maxBytes - beganBytes).to.be.below(400 * 1024 * 1024);
  });
});

describe('a hostile client', () => {
  let world: RelayWorld;
  let clock: FakeClock;
  let relay: AdbRelay;
  let logged: string[];

  beforeEach(async () => {
    clock = new FakeClock();
    logged = [];
    world = await startRelayWorld({
      clock,
      log: pino({ level: 'debug' }, { write: (line) => void logged.push(line) }),
    });
    relay = await world.enable();
  });

  afterEach(() => world.close());

  it('that opens 10,000 streams gets at most 256 on the relay and on the phone', async () => {
    const client = await RawAdb.loggedIn(relay);
    for (let count = 0; count < 10_000; count++) client.openWithoutWaiting('shell,v2,TERM=dumb,raw:sleep 100000');
    await until(() => client.received.filter(({ command }) => command === 0x45534c43).length >= 10_000 - 256);
    // One more read the phone's identity.
    expect(world.phone.services.count('shell')).to.be.at.most(257);
    client.end();
  });

  it('that never reads is not read from, and costs little', async () => {
    const client = await RawAdb.loggedIn(relay);
    client.socket.pause();
    let isHeldBack = false;
    for (let count = 0; count < 1_000_000 && !isHeldBack; count++) {
      client.openWithoutWaiting('shell,v2,raw:reboot');
      if (count % 1_000 === 999) {
        await new Promise(setImmediate);
        isHeldBack = client.socket.writableLength > 1_000_000;
      }
    }
    expect(isHeldBack).to.equal(true);
    // Others are served, and this one is closed when its queue has stood still.
    const other = await RawAdb.loggedIn(relay);
    expect((await other.shell('echo fine')).stdout).to.equal('fine\n');
    await until(async () => {
      await clock.pass(10_000, 10_000);
      return logged.some((line) => line.includes('"reason":"stalled"'));
    });
    expect((await other.shell('echo still')).stdout).to.equal('still\n');
    client.socket.resume();
    await client.closed;
    other.end();
  });

  it('that stops reading during a transfer is disconnected when its queue has stood still for a minute', async () => {
    await world.phone.machine.shellFiles.write('/sdcard/much', Buffer.alloc(2_000_000));
    const client = await RawAdb.loggedIn(relay);
    // With a shell, so that the connection is not idle.
    await client.open('shell,v2,TERM=dumb,raw:sleep 100000');
    const streams = [];
    for (let count = 0; count < 30; count++) streams.push(await client.open('sync:'));
    client.socket.pause();
    // The reply to each begins with a write of nearly 1 MiB: more than the system buffers for a client that does not read.
    const request = Buffer.concat([syncHeader.write({ id: 'RECV', length: 12 }), Buffer.from('/sdcard/much')]);
    for (const { id, phoneId } of streams) client.send(Command.WRTE, id, phoneId, request);
    await until(async () => {
      await clock.pass(10_000, 10_000);
      return (await world.get()).sessions.length === 0;
    });
    expect(logged.some((line) => line.includes('"reason":"stalled"'))).to.equal(true);
    client.end();
  });

  it('that is refused ten thousand times is logged twenty times', async () => {
    const client = await RawAdb.loggedIn(relay);
    for (let count = 0; count < 10_000; count++) client.openWithoutWaiting('reboot:');
    await until(async () => (await world.get()).refused['reboot'] === 10_000);
    expect(logged.filter((line) => line.includes('adb.refused'))).to.have.length(20);
    client.end();
    await until(() => logged.some((line) => line.includes('adb.closed') && line.includes('"reboot":10000')));
    expect(logged.join('')).not.to.contain(relay.code);
  });

  it('that opens a thousand services before the login is disconnected, without a log line for each', async () => {
    for (let count = 0; count < 5; count++) {
      const client = await RawAdb.greeted(relay.port!);
      for (let opened = 0; opened < 1_500; opened++) client.openWithoutWaiting('reboot:');
      await client.closed;
    }
    await until(async () => (await world.get()).refused['login'] === 5_000);
    await until(async () => {
      await clock.pass(1_000, 500);
      return logged.some((line) => line.includes('adb.connections_failed'));
    });
    const lines = logged.filter((line) => !line.includes('"level":20'));
    expect(lines.filter((line) => line.includes('adb.') && !line.includes('adb.enabled')).map(tallyOf)).to.deep.equal([
      { audit: 'adb.connections_failed', reason: 'refusals', count: 5, latest: '127.0.0.1' },
    ]);
  });

  it('that closes its side of the connection is disconnected', async () => {
    const socket = connect({ port: relay.port!, host: '127.0.0.1', allowHalfOpen: true });
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.end();
    await until(async () => (await world.get()).sessions.length === 0);
    socket.destroy();
  });

  it('that continues before the phone has responded, or greets twice, is dropped', async () => {
    const twice = await RawAdb.greeted(relay.port!);
    twice.greet();
    await twice.closed;
    const early = await RawAdb.connect(relay.port!);
    early.greet();
    early.openWithoutWaiting('shell:id');
    await early.closed;
    expect(world.phone.services.recent().filter((name) => !name.includes('boot_id'))).to.deep.equal([]);
  });

  // STAT of an empty path: 8 bytes that are replied to with 16.
  const stats = Buffer.alloc(64 * 1024, syncHeader.write({ id: 'STAT', length: 0 }));

  for (const loggedIn of [false, true]) {
    it(`that requests files${loggedIn ? ' beyond the limit' : ' before the login'} and acknowledges nothing costs little`, async () => {
      const limited = await world.startInstance({ instanceId: 'limited', limits: { transferBytes: 0 } });
      const target = await limited.enable({ name: 'limited' });
      const client = loggedIn ? await RawAdb.loggedIn(target) : await RawAdb.greeted(target.port!);
      client.acknowledges = false;
      const held = (): number => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
      const began = held();
      const streams = [];
      for (let count = 0; count < 20; count++) streams.push(await client.open('sync:'));
      const send = Buffer.concat([syncHeader.write({ id: 'SEND', length: 9 }), Buffer.from('/x,000644')]);
      if (loggedIn)
        for (const { id, phoneId } of streams)
          client.send(Command.WRTE, id, phoneId, Buffer.concat([send, syncHeader.write({ id: 'DONE', length: 0 })]));
      for (let round = 0; round < 30; round++) {
        for (const { id, phoneId } of streams) client.send(Command.WRTE, id, phoneId, stats);
        await new Promise(setImmediate);
      }
      // The relay's close shows that it has read all of it.
      await until(() => client.received.filter(({ command }) => command === Command.CLSE).length > 0);
      await systemClock.sleep(200);
      expect(held() - began).to.be.below(100 * 1024 * 1024);
      expect(client.isClosed).to.equal(false);
      client.end();
    });
  }

  it('that opens large scripts before the login costs little processor time', async () => {
    const client = await RawAdb.greeted(relay.port!);
    const usedMs = await processorMs(async () => {
      for (const part of ['$(', 'find -exec ', 'nice ', '"$(', 'sh -c '])
        client.openWithoutWaiting(`shell,v2,raw:${part.repeat(65_000 / part.length)}`);
      await until(() => client.received.filter(({ command }) => command === Command.CLSE).length === 5);
    });
    expect(usedMs).to.be.below(2_000);
    client.end();
  });
});

function tallyOf(line: string): object {
  const { audit, reason, count, latest } = JSON.parse(line) as Record<string, unknown>;
  return { audit, reason, count, latest };
}
