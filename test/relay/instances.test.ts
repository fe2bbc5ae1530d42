import { expect } from 'chai';
import { createServer } from 'node:net';
import { pino } from 'pino';
import { FakeClock } from '../../testing/fake-clock.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { DEVICE_CALL_MS } from '../../relay-service/limits.js';
import { freePort } from '../../testing/free-port.js';
import { RawAdb } from './raw-adb.js';
import { type RelayWorld, startRelayWorld } from './relay-world.js';
import { openTunnelPort, tunnelByRpc } from './tunnel-port.js';
import { until } from '../../testing/until.js';

describe('relays on one database', () => {
  let world: RelayWorld;
  let clock: FakeClock;

  beforeEach(async () => {
    clock = new FakeClock();
    world = await startRelayWorld({ clock });
  });

  afterEach(() => world.close());

  const kindOf = (asked: Promise<unknown>): Promise<string> =>
    asked.then(
      () => 'none',
      (error: unknown) => (error instanceof ApiError ? `${error.kind}: ${error.message}` : String(error)),
    );

  /** Lets time pass until `holds`, no faster than the database responds: an instance must be able to renew its leases meanwhile. */
  const passUntil = (holds: () => boolean | Promise<boolean>): Promise<void> =>
    until(async () => {
      await clock.pass(500, 500);
      await world.get();
      return holds();
    });

  it('give each call to the device service a time limit', async () => {
    const client = await RawAdb.loggedIn(await world.enable());
    world.behind.phone = { ...world.behind.phone!, generation: 2, identity: 'another' };
    await passUntil(() => client.isClosed);
    const { port } = await world.get();
    await RawAdb.greeted(port!).catch(() => undefined);
    await until(() => world.behind.reports.length > 0);
    expect(world.behind.timeoutsMs).to.have.length.greaterThan(3);
    for (const timeoutMs of world.behind.timeoutsMs) expect(timeoutMs).to.be.within(1, DEVICE_CALL_MS);
  });

  it('come back after a restart: same port, same code, same allow-list', async () => {
    const relay = await world.enable({ allow: ['127.0.0.0/8'] });
    const first = await world.get();
    await world.stopFirst();
    const again = await world.startInstance();
    const after = await again.get();
    expect(after).to.deep.include({ enabled: true, port: first.port, allow: ['127.0.0.0/8'] });
    (await RawAdb.loggedIn({ port: after.port, code: relay.code })).end();
  });

  it('let nobody to a phone that a person has, also an instance that has just started', async () => {
    const relay = await world.enable();
    await world.stopFirst();
    const { phone } = world.behind;
    world.behind.phone = { ...phone!, handedOver: true };
    const { port = 0 } = await (await world.startInstance()).get();
    expect(await RawAdb.isReset(port)).to.equal(true);
    world.behind.phone = phone;
    (await RawAdb.loggedIn({ port, code: relay.code })).end();
  });

  it('get another port when their own is taken meanwhile', async () => {
    const relay = await world.enable();
    await world.stopFirst();
    const thief = createServer();
    await new Promise<void>((resolve) => thief.listen(relay.port, '127.0.0.1', resolve));
    const again = await world.startInstance();
    const after = await again.get();
    expect(after.port).not.to.equal(relay.port);
    (await RawAdb.loggedIn({ port: after.port, code: relay.code })).end();
    await new Promise((resolve) => thief.close(resolve));
  });

  it('report the port range when all ports are taken', async () => {
    const port = await freePort();
    const few = await world.startInstance({ instanceId: 'few', ports: { first: port, last: port } });
    world.behind.accounts.set('ph_two', 'acc_other');
    const relay = await few.enable({ name: 'one' });
    expect(relay.port).to.equal(port);
    expect(await kindOf(few.enable({ name: 'two' }))).to.match(
      new RegExp(`^unavailable: Every ADB relay port \\(${port}-${port}\\) is taken`),
    );
    // Enabled again it keeps its port; turned off it frees it.
    expect((await few.enable({ name: 'one' })).port).to.equal(port);
    await few.disable('one');
    expect((await few.enable({ name: 'two' })).port).to.equal(port);
  });

  it('have nine tenths of the ports of a host for one account, also when all are enabled at the same time', async () => {
    const ports = await freeRange(4);
    const few = await world.startInstance({ instanceId: 'few', host: '127.0.0.3', ports });
    const names = ['one', 'two', 'three', 'four'];
    const outcomes = await Promise.all(names.map((name) => kindOf(few.enable({ name }))));
    expect(outcomes.filter((outcome) => outcome === 'none')).to.have.length(3);
    const refused = outcomes.filter((outcome) => outcome !== 'none');
    expect(refused[0]).to.match(/^rate_limited: An account has at most 3 ADB relays .* another device.*"tunnel": true/);
    expect(refused).to.have.length(1);
    const [on = '', off = ''] = [
      names[outcomes.indexOf('none')],
      names[outcomes.findIndex((outcome) => outcome !== 'none')],
    ];
    // What takes no other port works on.
    expect(await kindOf(few.enable({ name: on }))).to.equal('none');
    expect(await kindOf(few.enable({ name: off, allow: [], tunnel: true }))).to.equal('none');
    expect(await kindOf(few.enable({ name: off }))).to.match(/^rate_limited/);
    world.behind.accounts.set('ph_other', 'acc_other');
    expect(await kindOf(few.enable({ name: 'other' }))).to.equal('none');
    await few.disable(on);
    expect(await kindOf(few.enable({ name: off }))).to.equal('none');
  });

  it('are checked although one has no port, and log that once a minute', async () => {
    const port = await freePort();
    const logged: string[] = [];
    const options = { instanceId: 'few', ports: { first: port, last: port } };
    const few = await world.startInstance({ ...options, log: pino({}, { write: (line) => void logged.push(line) }) });
    const relay = await few.enable({ name: 'one' });
    const relays = world.database.collection<{ _id: string; port: number; leaseUntil: Date }>('relays');
    const document = await relays.findOne({ _id: 'ph_one' });
    const extra = { port: 1, endpoint: 'elsewhere:1', keyId: 'key-2' };
    await relays.insertOne({ ...document!, _id: 'ph_extra', ...extra });
    const client = await RawAdb.loggedIn(relay);
    const failures = (): number => logged.filter((line) => line.includes('Every ADB relay port')).length;
    await passUntil(() => failures() > 0);
    // Each renewal of the lease is at least one more attempt to listen.
    const renewed = async (): Promise<number> => (await relays.findOne({ _id: 'ph_extra' }))!.leaseUntil.getTime();
    const firstLease = await renewed();
    await passUntil(async () => (await renewed()) >= firstLease + 10_000);
    expect(failures()).to.equal(1);
    world.behind.ended.add('key-1');
    await passUntil(() => client.isClosed);
    // Its port is free now, and the relay without one gets it.
    await passUntil(async () => (await relays.findOne({ _id: 'ph_extra' }))?.port === port);
    // A relay that is not listened for ends too.
    await few.close();
    world.behind.ended.add('ph_extra');
    const again = await world.startInstance({ ...options, ports: { first: 1, last: 1 } });
    await passUntil(async () => (await relays.countDocuments()) === 0);
    await again.close();
  });

  it('are found through each instance, and follow changes of the others a moment later', async () => {
    const other = await world.startInstance({ instanceId: 'relay-2', host: '127.0.0.2' });
    const relay = await world.enable();
    const client = await RawAdb.loggedIn(relay);
    expect(await other.get()).to.deep.include({ enabled: true, host: '127.0.0.1', port: relay.port });
    await passUntil(async () => (await other.get()).sessions.length === 1);
    const renewed = await other.enable();
    expect(renewed).to.deep.include({ host: '127.0.0.1', port: relay.port });
    expect(renewed.code).not.to.equal(relay.code);
    await passUntil(() => client.isClosed);
    const old = await RawAdb.greeted(relay.port!);
    expect((await old.shell(`service-login ${relay.code}`)).stderr).to.equal('wrong code\n');
    old.end();
    const fresh = await RawAdb.loggedIn(renewed);
    await other.disable();
    await passUntil(() => fresh.isClosed);
  });

  it('take a new code at once that another instance has made, and none of a client that is not on the new list', async () => {
    const other = await world.startInstance({ instanceId: 'relay-2', host: '127.0.0.2' });
    const relay = await world.enable();
    // Time stands still, so that no tick follows the other instance.
    const client = await RawAdb.greeted(relay.port!);
    const renewed = await other.enable();
    expect((await client.shell(`service-login ${renewed.code}`)).stdout).to.equal('login ok\n');
    expect((await client.shell('echo in')).stdout).to.equal('in\n');
    const { enableId, checks } = (await world.database
      .collection<{ _id: string; enableId: string; checks: unknown[] }>('relays')
      .findOne({ _id: 'ph_test' }))!;
    expect(checks).to.deep.equal([]);
    // A wrong code counts against the new terms, and ends a client of the former ones.
    const stale = await RawAdb.greeted(relay.port!);
    await other.enable();
    expect((await stale.shell(`service-login ${renewed.code}`)).stderr).to.equal('wrong code\n');
    await stale.closed;
    const after = await world.database
      .collection<{ _id: string; enableId: string; checks: unknown[] }>('relays')
      .findOne({ _id: 'ph_test' });
    expect(after!.enableId).not.to.equal(enableId);
    expect(after!.checks).to.have.length(1);
    const outside = await RawAdb.greeted(relay.port!);
    const { code } = await other.enable({ allow: ['203.0.113.7'] });
    expect((await outside.shell(`service-login ${code}`)).stderr).to.equal('wrong code\n');
    await outside.closed;
  });

  it('lead a client of the API to the instance that listens, and have a port only with a list', async () => {
    const other = await world.startInstance({ instanceId: 'relay-2', host: '127.0.0.2' });
    const tunnels = await openTunnelPort((client) => void tunnelByRpc(client, other.rpc));
    try {
      expect((await world.enable({ allow: [], tunnel: true })).port).to.equal(undefined);
      const client = await RawAdb.greeted(tunnels.port);
      expect((await client.shell('echo through')).stdout).to.equal('through\n');
      expect((await world.get()).sessions[0]).to.deep.include({ loggedIn: true, tunnel: true });
      // A port is opened by the instance that is asked for it, which then listens for both ways.
      const both = await other.enable({ tunnel: true });
      expect(both).to.deep.include({ host: '127.0.0.2', tunnel: true });
      await passUntil(() => client.isClosed);
      const [atPort, again] = [await RawAdb.loggedIn(both), await RawAdb.greeted(tunnels.port)];
      expect((await other.get()).sessions).to.have.length(2);
      expect((await world.enable({ allow: [], tunnel: true })).port).to.equal(undefined);
      await passUntil(() => atPort.isClosed && again.isClosed);
      expect((await (await RawAdb.greeted(tunnels.port)).shell('echo back')).stdout).to.equal('back\n');
    } finally {
      tunnels.close();
    }
  });

  it('pass a client of the API on once, whatever the database says of the place', async () => {
    await world.enable({ allow: [], tunnel: true });
    const relays = world.database.collection('relays');
    // A relay service that was given another name finds its own URL with the former one.
    await relays.updateOne({}, { $set: { instanceId: 'former', leaseUntil: new Date(clock.now() + 3_600_000) } });
    const asked = world.rpc.connectAdb(
      (async function* () {
        yield { name: 'testphone' };
        await new Promise(() => undefined);
      })(),
      { headers: { authorization: 'key-1' } },
    );
    expect(await kindOf(asked[Symbol.asyncIterator]().next())).to.match(/^unavailable: .* is changing/);
  });

  it('take over from an instance that is gone, once its lease has lapsed', async () => {
    const relay = await world.enable();
    await world.stopFirst();
    const other = await world.startInstance({ instanceId: 'relay-2', host: '127.0.0.2' });
    expect((await other.get()).host).to.equal('127.0.0.1');
    await passUntil(async () => (await other.get()).host === '127.0.0.2');
    const after = await other.get();
    (await RawAdb.loggedIn({ port: after.port, code: relay.code })).end();
  });

  it('enable one phone once under simultaneous requests', async () => {
    const other = await world.startInstance({ instanceId: 'relay-2' });
    const asked = await Promise.all([world.enable(), other.enable(), world.enable(), other.enable()]);
    const ports = new Set(asked.map(({ port }) => port));
    expect(ports.size).to.equal(1);
    const { port } = await world.get();
    let good = 0;
    for (const { code } of asked) {
      const client = await RawAdb.greeted(port!);
      if ((await client.shell(`service-login ${code}`)).status === 0) good++;
      client.end();
      await passUntil(async () => (await world.get()).sessions.length === 0);
    }
    expect(good).to.equal(1);
  });

  it('refuse an invalid allow-list, and a phone that does not run', async () => {
    for (const entry of ['1.2', 'example.com', '10.0.0.0/33', '::1/129', '1.2.3.4/', '', '0x7f.1', 'fe80::1%eth0']) {
      expect(await kindOf(world.enable({ allow: [entry] })), entry).to.match(/^bad_request: .*allow\[0\]/);
    }
    expect(await kindOf(world.enable({ allow: [] }))).to.match(/^bad_request/);
    expect(await kindOf(world.enable({ allow: Array.from({ length: 21 }, () => '10.0.0.1') }))).to.match(
      /^bad_request/,
    );
    expect(await kindOf(world.enable({ lifetimeS: 604_801 }))).to.match(/^bad_request/);
    world.behind.phone = undefined;
    expect(await kindOf(world.enable())).to.match(/^busy/);
    expect((await world.get()).enabled).to.equal(false);
  });
});

/** Returns a range of so many free ports. */
async function freeRange(length: number): Promise<{ first: number; last: number }> {
  let [first, last] = [0, -2];
  while (last - first + 1 < length) {
    const next = await freePort();
    if (next !== last + 1) first = next;
    last = next;
  }
  return { first, last };
}
