import { expect } from 'chai';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { FakeClock } from '../../testing/fake-clock.js';
import { IDENTITY_COMMAND } from '../../phone/link/identity.js';
import { RawAdb } from './raw-adb.js';
import { type RelayWorld, startRelayWorld } from './relay-world.js';
import { startWindowedPhone } from './windowed-phone.js';
import { until } from '../../testing/until.js';

describe('the identity of the phone behind a connection', () => {
  let world: RelayWorld;
  let clock: FakeClock;

  beforeEach(async () => (world = await startRelayWorld({ clock: (clock = new FakeClock()) })));
  afterEach(() => world.close());

  it('is read before anything of the client reaches the phone', async () => {
    const relay = await world.enable();
    const client = await RawAdb.greeted(relay.port!);
    expect(world.phone.services.recent()).to.deep.equal([`shell:${IDENTITY_COMMAND}`]);
    expect((await client.shell(`service-login ${relay.code}`)).status).to.equal(0);
    expect((await client.shell('echo on')).stdout).to.equal('on\n');
    expect(world.behind.reports).to.deep.equal([]);
    client.end();
  });

  for (const features of ['shell_v2', '', 'shell_v2,delayed_ack']) {
    it(`is compared with clients of the features "${features}"`, async () => {
      const relay = await world.enable();
      (await RawAdb.greeted(relay.port!, { features })).end();
      const { phone } = world.behind;
      world.behind.phone = { ...phone!, identity: `other${phone!.identity}` };
      expect(await RawAdb.isReset(relay.port!)).to.equal(true);
      await until(() => world.behind.reports.length > 0);
      expect(world.behind.reports).to.deep.equal([{ phoneId: 'ph_test', foundIdentity: phone!.identity }]);
    });
  }

  it('is reported at most every five seconds', async () => {
    const relay = await world.enable();
    world.behind.phone = { ...world.behind.phone!, identity: 'x/y' };
    for (let count = 0; count < 5; count++) expect(await RawAdb.isReset(relay.port!)).to.equal(true);
    await until(() => world.behind.reports.length > 0);
    clock.turn(5_000);
    expect(await RawAdb.isReset(relay.port!)).to.equal(true);
    await until(() => world.behind.reports.length > 1);
    expect(world.behind.reports).to.have.length(2);
  });

  it('is wrong when the phone does not run the command', async () => {
    const phone = await startWindowedPhone();
    const relay = await world.enable();
    world.behind.phone = { ...world.behind.phone!, port: phone.port };
    expect(await RawAdb.isReset(relay.port!)).to.equal(true);
    await until(() => world.behind.reports.length > 0);
    expect(world.behind.reports).to.deep.equal([{ phoneId: 'ph_test', foundIdentity: undefined }]);
    await phone.close();
  });

  it('is waited for no longer than the handshake may take', async () => {
    const silent: Server = createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const relay = await world.enable();
    world.behind.phone = { ...world.behind.phone!, port: (silent.address() as AddressInfo).port };
    const client = await RawAdb.connect(relay.port!);
    client.greet();
    await until(async () => (await world.get()).sessions.length === 1);
    clock.turn(10_000);
    expect(await client.closed).to.equal('reset');
    silent.close();
  });

  it('is reported missing when nothing listens at the address', async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    const relay = await world.enable();
    world.behind.phone = { ...world.behind.phone!, port };
    expect(await RawAdb.isReset(relay.port!)).to.equal(true);
    await until(() => world.behind.reports.length > 0);
    expect(world.behind.reports).to.deep.equal([{ phoneId: 'ph_test', foundIdentity: undefined }]);
  });
});
