import { expect } from 'chai';
import { Command } from '../../phone/adb/packet.js';
import type { AdbRelay } from '../../proto/gen/cloudphone/relay/v1/relay_pb.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { until } from '../../testing/until.js';
import { RawAdb } from './raw-adb.js';
import { type RelayWorld, startRelayWorld } from './relay-world.js';

/* Peers that are gone without a word: the system has bytes for them that are not acknowledged, and nothing comes from them. */

describe('a peer that vanishes', () => {
  let world: RelayWorld;
  let clock: FakeClock;
  let relay: AdbRelay;
  /** Bytes that vanished peers have not acknowledged, by the port of the peer. */
  const unacknowledged = new Map<number, number>();

  beforeEach(async () => {
    clock = new FakeClock();
    unacknowledged.clear();
    world = await startRelayWorld({
      clock,
      unacknowledgedBytes: async ({ remotePort = 0 }) => unacknowledged.get(remotePort) ?? 0,
    });
    relay = await world.enable();
  });
  afterEach(() => world.close());

  const passed = async (ms: number): Promise<void> => clock.pass(ms, 1_000);
  const sessions = async (): Promise<number> => (await world.get()).sessions.length;

  async function withShell(): Promise<RawAdb> {
    const client = await RawAdb.loggedIn(relay);
    // Without it, the connection would end as an idle one.
    await client.open('shell,v2,TERM=dumb,raw:sleep 100000');
    return client;
  }

  it('with data under way gives its place back after a minute', async () => {
    const clients = [await withShell(), await withShell(), await withShell()];
    for (const { socket } of clients) unacknowledged.set(socket.localPort!, 100);
    await passed(59_000);
    expect(await sessions()).to.equal(3);
    await passed(25_000);
    await until(async () => (await sessions()) === 0);
    (await withShell()).end();
    for (const client of clients) client.end();
  });

  it('is one to which the phone has vanished, too', async () => {
    const client = await withShell();
    unacknowledged.set(world.phonePort, 1);
    await passed(85_000);
    await until(async () => (await sessions()) === 0);
    await client.closed;
  });

  it('is none whose queue moves, or that sends something', async () => {
    const client = await withShell();
    const { localPort = 0 } = client.socket;
    for (let left = 20; left > 0; left--) {
      unacknowledged.set(localPort, left);
      await passed(15_000);
    }
    for (let minutes = 0; minutes < 5; minutes++) {
      unacknowledged.set(localPort, 500);
      await passed(40_000);
      client.send(Command.OKAY, 999, 999);
      await passed(20_000);
    }
    expect(await sessions()).to.equal(1);
    client.end();
  });

  it('is none that is silent for hours and has received everything', async () => {
    const client = await withShell();
    for (let hours = 0; hours < 3; hours++) clock.turn(60 * 60_000);
    await passed(1_000);
    expect(await sessions()).to.equal(1);
    client.end();
  });
});
