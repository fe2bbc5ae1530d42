import { expect } from 'chai';
import { FakeClock } from '../../testing/fake-clock.js';
import { listensHere } from '../../testing/listens-here.js';
import { until } from '../../testing/until.js';
import type { AdbRelay } from '../../proto/gen/cloudphone/relay/v1/relay_pb.js';
import { RawAdb } from './raw-adb.js';
import { type RelayWorld, startRelayWorld } from './relay-world.js';

const MINUTE_MS = 60_000;

describe('wrong login codes of the relay', () => {
  let world: RelayWorld;
  let clock: FakeClock;
  let relay: AdbRelay;
  const clients: RawAdb[] = [];

  beforeEach(async () => {
    clock = new FakeClock();
    world = await startRelayWorld({ clock });
    relay = await world.enable();
  });

  afterEach(async () => {
    for (const client of clients.splice(0)) client.end();
    await world.close();
  });

  const kept = (client: RawAdb): RawAdb => {
    clients.push(client);
    return client;
  };
  const greeted = async (): Promise<RawAdb> => kept(await RawAdb.greeted(relay.port!));
  const loggedIn = async (): Promise<RawAdb> => kept(await RawAdb.loggedIn(relay));

  it('close the connection at the fifth, after its response', async () => {
    const client = await greeted();
    for (let count = 1; count <= 5; count++) {
      const ran = await client.shell(`service-login wrong-${count}`);
      expect(ran).to.deep.equal({ accepted: true, status: 1, stdout: '', stderr: 'wrong code\n' });
    }
    await client.closed;
    expect((await world.get()).enabled).to.equal(true);
    await loggedIn();
  });

  it('turn the relay off at the twentieth within ten minutes, over connections', async () => {
    for (let count = 0; count < 20; count += 5) await wrongFive();
    expect((await world.get()).enabled).to.equal(false);
    expect(await world.database.collection('relays').countDocuments()).to.equal(0);
    expect(listensHere(relay.port!)).to.equal(false);
  });

  it('are counted in a sliding window', async () => {
    for (let count = 0; count < 15; count += 5) await wrongFive();
    clock.turn(9 * MINUTE_MS);
    const client = await greeted();
    for (let count = 0; count < 4; count++) await client.shell('service-login no');
    client.end();
    // The first fifteen are outside of the window now, four remain.
    clock.turn(MINUTE_MS + 1_000);
    await until(async () => (await world.get()).sessions.length === 0);
    for (let count = 0; count < 15; count += 5) await wrongFive();
    expect((await world.get()).enabled).to.equal(true);
    const last = await greeted();
    expect((await last.shell('service-login no')).status).to.equal(1);
    await last.closed;
    expect((await world.get()).enabled).to.equal(false);
  });

  it('do not include right ones', async () => {
    for (let count = 0; count < 40; count++) {
      (await loggedIn()).end();
      await until(async () => (await world.get()).sessions.length === 0);
    }
    expect((await world.get()).enabled).to.equal(true);
  });

  it('are remembered over a restart', async () => {
    for (let count = 0; count < 15; count += 5) await wrongFive();
    const again = await world.startInstance({ instanceId: 'relay-2' });
    await again.close();
    const document = await world.database.collection<{ _id: string }>('relays').findOne({ _id: 'ph_test' });
    expect(document).to.have.property('checks').with.length(15);
    expect(JSON.stringify(document)).not.to.contain(relay.code);
  });

  it('do not let a right one in that was sent after them', async () => {
    const client = await greeted();
    for (let count = 0; count < 10; count++) client.openWithoutWaiting('shell,v2,raw:service-login x');
    client.openWithoutWaiting(`shell,v2,raw:service-login ${relay.code}`);
    await client.closed;
    expect(Buffer.concat(client.received.map(({ payload }) => payload)).toString()).not.to.contain('login ok');
    const wrong = client.received.filter(({ payload }) => payload.includes('wrong code'));
    expect(wrong).to.have.length(5);
    const document = await world.database.collection<{ _id: string }>('relays').findOne({ _id: 'ph_test' });
    expect(document).to.have.property('checks').with.length(5);
  });

  it('are checked at most five times on a connection, however many are sent at the same time', async () => {
    const three = [await greeted(), await greeted(), await greeted()];
    for (const client of three)
      for (let count = 0; count < 100; count++) client.openWithoutWaiting('shell,v2,raw:service-login x');
    await Promise.all(three.map((client) => client.closed));
    const wrong = three.flatMap(({ received }) => received.filter(({ payload }) => payload.includes('wrong code')));
    expect(wrong).to.have.length(15);
    expect((await world.get()).enabled).to.equal(true);
  });

  async function wrongFive(): Promise<void> {
    const client = await greeted();
    for (let count = 0; count < 5; count++)
      await client.shell('service-login abcde-abcde-abcde').catch(() => undefined);
    await client.closed;
    await until(async () => (await world.get()).sessions.length === 0);
  }
});
