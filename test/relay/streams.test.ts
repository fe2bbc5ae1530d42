import { expect } from 'chai';
import { Command, type Packet } from '../../phone/adb/packet.js';
import { syncHeader } from '../../phone/adb/sync-messages.js';
import { RawAdb } from './raw-adb.js';
import { type RelayWorld, startRelayWorld } from './relay-world.js';
import { until } from '../../testing/until.js';

describe('streams through the relay, as adbd serves them', () => {
  let world: RelayWorld;
  let client: RawAdb;

  before(async () => (world = await startRelayWorld()));
  after(() => world.close());
  afterEach(() => client.end());

  const of = (id: number): Packet[] => client.received.filter(({ arg1 }) => arg1 === id);
  const request = Buffer.concat([syncHeader.write({ id: 'STAT', length: 2 }), Buffer.from('/x')]);

  it('are closed by both sides', async () => {
    client = await RawAdb.loggedIn(await world.enable());
    for (const service of ['sync:', 'shell,v2,raw:cat', 'exec:cat']) {
      const { id, phoneId } = await client.open(service);
      client.send(Command.CLSE, id, phoneId);
      await client.next(({ command, arg0, arg1 }) => command === Command.CLSE && arg0 === phoneId && arg1 === id);
      await client.shell('echo on');
      expect(of(id).filter(({ command }) => command === Command.CLSE)).to.have.length(1);
    }
  });

  it('are closed by both sides when the relay serves them', async () => {
    client = await RawAdb.greeted((await world.enable()).port!);
    const { id, phoneId } = await client.open('sync:');
    client.send(Command.CLSE, id, phoneId);
    await client.next(({ command, arg0, arg1 }) => command === Command.CLSE && arg0 === phoneId && arg1 === id);
  });

  it('acknowledge a write before they reply to it when the relay serves them', async () => {
    client = await RawAdb.greeted((await world.enable()).port!);
    const { id, phoneId } = await client.open('sync:');
    client.send(Command.WRTE, id, phoneId, request);
    await client.next(({ command, arg1 }) => command === Command.WRTE && arg1 === id);
    expect(of(id).map(({ command }) => command)).to.deep.equal([Command.OKAY, Command.OKAY, Command.WRTE]);
  });

  it('reply to a request after its last write when the relay serves them', async () => {
    client = await RawAdb.greeted((await world.enable()).port!);
    const { id, phoneId } = await client.open('sync:');
    for (const part of [request.subarray(0, 8), request.subarray(8)]) {
      const before = of(id).length;
      client.send(Command.WRTE, id, phoneId, part);
      await until(() => of(id).length > before);
    }
    await client.next(({ command, arg1 }) => command === Command.WRTE && arg1 === id);
    const { OKAY, WRTE } = Command;
    expect(of(id).map(({ command }) => command)).to.deep.equal([OKAY, OKAY, OKAY, WRTE]);
  });

  it('acknowledge no more than a client reads when the relay serves them', async () => {
    client = await RawAdb.greeted((await world.enable()).port!);
    client.acknowledges = false;
    const { id, phoneId } = await client.open('sync:');
    client.send(Command.WRTE, id, phoneId, Buffer.alloc(10 * 1_000, request));
    await client.next(({ command, arg1 }) => command === Command.WRTE && arg1 === id);
    const okays = (): number => of(id).filter(({ command }) => command === Command.OKAY).length;
    expect(okays()).to.equal(1);
    client.send(Command.OKAY, id, phoneId);
    await until(() => okays() === 2);
  });

  it('end after a listing that failed', async () => {
    client = await RawAdb.greeted((await world.enable()).port!);
    for (const name of ['LIST', 'LIS2']) {
      const { id, phoneId } = await client.open('sync:');
      client.send(Command.WRTE, id, phoneId, syncHeader.write({ id: name, length: 0 }));
      await client.next(({ command, arg1 }) => command === Command.CLSE && arg1 === id);
      expect(client.dataOf(id).toString('latin1', 0, 4)).to.equal('FAIL');
    }
  });

  it('are closed without a byte where a text would be taken for the output', async () => {
    client = await RawAdb.greeted((await world.enable()).port!);
    for (const service of ['exec:screencap -p', 'shell:id', 'shell:', 'framebuffer:']) {
      const { id, accepted } = await client.open(service);
      expect(accepted, service).to.equal(false);
      expect(client.dataOf(id)).to.have.length(0);
    }
    // adb opens these again and again when they are closed.
    for (const service of [
      "shell:export ANDROID_LOG_TAGS=''; exec logcat",
      "shell:pm 'uninstall' 'x'",
      'shell:bugreport',
    ]) {
      expect((await client.open(service)).accepted, service).to.equal(true);
    }
  });
});
