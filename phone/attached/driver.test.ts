import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import { ApiError } from '../../kit/errors/api-error.js';
import { KeysFile } from '../adb/device/trusted-keys.js';
import { PhoneFailure } from '../driver.js';
import { AttachedWorld } from './testing/attached-world.js';

/** The error that a promise rejects with. */
const failure = (promise: Promise<unknown>): Promise<unknown> => promise.then(() => undefined, (error: unknown) => error); // prettier-ignore

describe('AttachedDriver', () => {
  let world: AttachedWorld;

  beforeEach(() => (world = new AttachedWorld()));
  afterEach(() => world.end());

  it('takes a phone, runs it behind its bridge, refuses all while it is off and gives it back', async () => {
    const { port } = await world.phone('A1');
    const slot = `127.0.0.1:${port}`;
    world.list({ address: slot, name: 'Bench phone' });
    const driver = await world.open();
    expect(driver.capabilities()).to.deep.include({ create: false, power: false, exit: false, snapshots: 'none' });
    const [model] = driver.capabilities().models;
    expect(model).to.deep.include({ model: 'bench', name: 'Bench phone', android: ['14'] });
    expect(model?.screen).to.deep.equal({ width: 360, height: 640, density: 320 });
    expect(await driver.inspect('ph_1')).to.deep.equal({ state: 'absent' });
    expect(await world.slots()).to.deep.equal([slot]);

    await driver.create(world.spec('ph_1', slot));
    expect(await driver.inspect('ph_1')).to.deep.equal({ state: 'stopped' });
    const endpoint = await driver.start('ph_1');
    expect(endpoint.port).not.to.equal(port);
    expect(endpoint.identity).to.match(/^A1\/[0-9a-f-]{36}$/);
    expect(await driver.list()).to.deep.equal(new Map([['ph_1', { state: 'running', endpoint }]]));
    expect(await world.shell(endpoint, 'echo through')).to.equal('through\n');

    const link = await world.link(endpoint);
    await driver.stop('ph_1', 'save');
    expect(await driver.inspect('ph_1')).to.deep.equal({ state: 'stopped' });
    expect(await failure(world.shell(endpoint, 'id'))).to.be.instanceOf(ApiError);
    await world.untilTrue(() => !link.usable);

    expect((await driver.start('ph_1')).port).to.equal(endpoint.port);
    await driver.delete('ph_1');
    await driver.delete('ph_1');
    expect(await driver.inspect('ph_1')).to.deep.equal({ state: 'absent' });
    expect(await world.slots()).to.deep.equal([slot]);
  });

  it('lists a phone whose inspection fails as unknown, and the others as they are', async () => {
    const ports = await Promise.all(['A1', 'A2'].map(async (serial) => (await world.phone(serial)).port));
    world.list(...ports.map((port) => ({ address: `127.0.0.1:${port}` })));
    const driver = await world.open();
    const [, endpoint] = await Promise.all(ports.map((port, at) => world.run(`ph_${at}`, `127.0.0.1:${port}`)));
    const inspect = driver.inspect.bind(driver);
    driver.inspect = (phoneId, signal) =>
      phoneId === 'ph_0' ? Promise.reject(new Error('broke off')) : inspect(phoneId, signal);
    const listed = new Map<string, unknown>([
      ['ph_0', { state: 'unknown' }],
      ['ph_1', { state: 'running', endpoint }],
    ]);
    expect(await driver.list()).to.deep.equal(listed);
  });

  it('turns the screen off with the device and on with it', async () => {
    const { port, phone } = await world.phone('A1');
    world.list({ address: `127.0.0.1:${port}` });
    await world.open();
    await world.run('ph_1', `127.0.0.1:${port}`);
    await world.driver.stop('ph_1', 'save');
    const sent = phone.services.recent().filter((name) => name.includes('keyevent'));
    expect(sent.map((name) => /KEYCODE_\w+/.exec(name)?.[0])).to.deep.equal(['KEYCODE_WAKEUP', 'KEYCODE_SLEEP']);
  });

  it('gives each of three phones to one of eight requests at the same time', async () => {
    const ports = await Promise.all(['A1', 'A2', 'A3'].map(async (serial) => (await world.phone(serial)).port));
    world.list(...ports.map((port) => ({ address: `127.0.0.1:${port}` })));
    const driver = await world.open();
    const slots = await world.slots();
    expect(slots).to.have.length(3);
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, at) => failure(driver.create(world.spec(`ph_${at}`, slots[at % 3]!)))),
    );
    const refused = outcomes.filter((outcome) => outcome !== undefined);
    expect(refused).to.have.length(5);
    for (const error of refused)
      expect(error)
        .to.be.instanceOf(PhoneFailure)
        .with.property('message')
        .match(/in use/);
    const serials = await Promise.all(
      [...(await driver.list()).keys()].map(async (id) => (await driver.start(id)).identity.split('/')[0]),
    );
    expect(serials.sort()).to.deep.equal(['A1', 'A2', 'A3']);
  });

  it('reports that a phone in use is gone, and has it back when it returns', async () => {
    const { port, phone } = await world.phone('A1');
    world.list({ address: `127.0.0.1:${port}` });
    const driver = await world.open();
    const endpoint = await world.run('ph_1', `127.0.0.1:${port}`);
    await phone.shutdown();
    const status = await world.until('ph_1', ({ state }) => state === 'broken');
    expect(status)
      .to.have.property('problem')
      .match(/cannot be reached/);
    expect(JSON.stringify(status)).not.to.contain(String(port));
    expect(world.changes.at(-1)).to.deep.include({ phoneId: 'ph_1' });
    expect(await failure(world.shell(endpoint, 'id'))).to.be.instanceOf(ApiError);
    // Tried again by the caller, as it may pass.
    expect(await failure(driver.start('ph_1')))
      .to.be.instanceOf(ApiError)
      .with.property('kind', 'unavailable');
    await phone.boot();
    const back = await world.until('ph_1', ({ state }) => state === 'running');
    expect(back).to.have.nested.property('endpoint.port', endpoint.port);
    expect(back).to.have.nested.property('endpoint.identity').not.equal(endpoint.identity);
  });

  it('never hands out another phone that was put in the place of one', async () => {
    const first = await world.phone('A1');
    const slot = `127.0.0.1:${first.port}`;
    world.list({ address: slot });
    const driver = await world.open();
    const endpoint = await world.run('ph_1', slot);
    await first.phone.shutdown();
    const other = await world.phone('B2', { listen: { port: first.port } });
    const status = await world.until('ph_1', (now) => now.state === 'broken' && /Another phone/.test(now.problem));
    expect(status.state).to.equal('broken');
    expect(await failure(world.shell({ host: endpoint.host, port: endpoint.port }, 'id'))).to.be.instanceOf(ApiError);
    expect(await failure(driver.start('ph_1'))).to.be.instanceOf(PhoneFailure);
    await other.phone.shutdown();
    await first.phone.boot();
    await world.until('ph_1', ({ state }) => state === 'running');
  });

  it('reboots a phone for a restart, once, and shows a reboot behind its back', async () => {
    const { port, phone } = await world.phone('A1');
    world.list({ address: `127.0.0.1:${port}` });
    const driver = await world.open();
    const first = await world.run('ph_1', `127.0.0.1:${port}`);
    const second = await driver.start('ph_1', { endedIdentity: first.identity });
    expect(second.identity).not.to.equal(first.identity);
    expect(await driver.start('ph_1', { endedIdentity: first.identity })).to.deep.equal(second);
    world.changes.length = 0;
    await phone.reboot('by a test');
    const status = await world.until('ph_1', ({ state }) => state === 'running');
    expect(status).to.have.nested.property('endpoint.identity').not.equal(second.identity);
    expect(world.changes.map(({ phoneId }) => phoneId)).to.include('ph_1');
  });

  it('refuses to restart a phone whose ADB would be off afterwards', async () => {
    const { port } = await world.phone('A1', { rebootable: false });
    world.list({ address: `127.0.0.1:${port}` });
    const driver = await world.open();
    const { identity } = await world.run('ph_1', `127.0.0.1:${port}`);
    const error = await failure(driver.start('ph_1', { endedIdentity: identity }));
    expect(error)
      .to.be.instanceOf(PhoneFailure)
      .with.property('message')
      .match(/persist\.adb\.tcp\.port/);
    expect(await driver.inspect('ph_1')).to.deep.include({ state: 'running' });
  });

  it('follows PHONES_FILE while it is edited, and keeps the last good one', async () => {
    const lines: string[] = [];
    const { port } = await world.phone('A1');
    const slot = `127.0.0.1:${port}`;
    world.list({ address: slot });
    const driver = await world.open(pino({ level: 'error' }, { write: (line: string) => void lines.push(line) }));
    await world.run('ph_1', slot);
    world.write('{"phones": [{"address": "nowhere", "model": "", "clean": "none"}]}');
    await world.untilTrue(() => lines.length > 0);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/phones\[0\]\.address .*phones\[0\]\.model /);
    expect(await driver.inspect('ph_1')).to.deep.include({ state: 'running' });
    world.list();
    expect(await world.until('ph_1', ({ state }) => state === 'broken'))
      .to.have.property('problem')
      .match(/withdrawn/);
    expect(world.changes.at(-1)?.reason).to.match(/lists it no more/);
    const second = await world.phone('A2');
    world.list({ address: slot }, { address: `127.0.0.1:${second.port}` });
    await world.until('ph_1', ({ state }) => state === 'running');
    await world.untilTrue(async () => (await world.slots()).length === 2);
  });

  it('refuses to start with a faulty PHONES_FILE, with every fault in one error', async () => {
    world.write('{"phones": [{"model": "a", "clean": "x"}, 5]}');
    const error = (await failure(world.open())) as Error;
    expect(error.message.split('\n')).to.have.length(4);
  });

  it('finds its phones again after a crash, on the same port', async () => {
    const { port } = await world.phone('A1');
    world.list({ address: `127.0.0.1:${port}` });
    const before = await world.open();
    const endpoint = await world.run('ph_1', `127.0.0.1:${port}`);
    await before.close();
    await world.open();
    expect(await world.driver.inspect('ph_1')).to.deep.equal({ state: 'running', endpoint });
    expect(await world.shell(endpoint, 'echo again')).to.equal('again\n');
  });

  it('lists the model of a phone that it has reached before, and hands none out that is away', async () => {
    const { port, phone } = await world.phone('A1');
    world.list({ address: `127.0.0.1:${port}` }, { address: '127.0.0.1:1', model: 'never' });
    await (await world.open()).close();
    await phone.shutdown();
    const driver = await world.open();
    expect(driver.capabilities().models.map(({ model }) => model)).to.deep.equal(['bench']);
    expect(driver.capabilities().withheld).to.deep.equal(['never']);
    expect(await world.slots()).to.deep.equal([]);
    const error = await failure(driver.create(world.spec('ph_1', `127.0.0.1:${port}`)));
    expect(error).to.be.instanceOf(ApiError).with.property('kind', 'unavailable');
  });

  it('takes no phone twice that is listed by two addresses', async () => {
    const { port } = await world.phone('A1');
    world.list({ address: `127.0.0.1:${port}` }, { address: `localhost:${port}` });
    const driver = await world.open();
    await driver.create(world.spec('ph_1', `127.0.0.1:${port}`));
    const error = await failure(driver.create(world.spec('ph_2', `localhost:${port}`)));
    expect(error).to.be.instanceOf(PhoneFailure);
  });

  it('is not held up by a peer that takes connections and never sends anything', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined).resume());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const slot = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    world.onEnd(async () => server.close());
    world.list({ address: slot });
    const driver = await world.open();
    const error = await failure(driver.create(world.spec('ph_1', slot)));
    expect(error).to.be.instanceOf(ApiError).with.property('kind', 'unavailable');
  });

  it('names the key to confirm on a phone that does not trust it, and goes on when it is', async () => {
    const keys = join(world.directory, 'trusted');
    writeFileSync(keys, '# nobody yet\n');
    const { port } = await world.phone('A1', { trustedKeys: new KeysFile(keys) });
    const slot = `127.0.0.1:${port}`;
    world.list({ address: slot });
    const driver = await world.open();
    const error = await failure(driver.create(world.spec('ph_1', slot)));
    expect(error).to.be.instanceOf(PhoneFailure).with.property('message').contain(world.key.fingerprint);
    appendFileSync(keys, readFileSync(join(world.directory, 'adbkey.pub')));
    await world.untilTrue(async () => (await world.slots()).length === 1);
    const endpoint = await world.run('ph_1', slot);
    // The client of the bridge has no key.
    expect(await world.shell(endpoint, 'echo in')).to.equal('in\n');
    writeFileSync(keys, '# nobody any more\n');
    expect(await failure(world.shell(endpoint, 'id'))).to.be.instanceOf(ApiError);
  });

  describe('with clean: uninstall', () => {
    const listFiles = 'find /sdcard /data/local/tmp; pm list packages -3';

    it('removes a customer’s apps, files and settings, and nothing else', async () => {
      const { port } = await world.phone('A1');
      const slot = `127.0.0.1:${port}`;
      world.list({ address: slot, clean: 'uninstall' });
      await world.open();
      await world.shell({ host: '127.0.0.1', port }, 'mkdir -p /sdcard/Own/dir; echo keep > /sdcard/Own/dir/kept');
      const before = await world.shell({ host: '127.0.0.1', port }, listFiles);
      const endpoint = await world.run('ph_1', slot);
      await installFixture(world, endpoint);
      const mess = `mkdir -p "/sdcard/A dir's/x"; echo 1 > "/sdcard/A dir's/x/y"; echo 2 > /sdcard/Own/dir/new; touch /data/local/tmp/t`;
      await world.shell(endpoint, mess);
      await world.driver.delete('ph_1');
      expect(await world.shell({ host: '127.0.0.1', port }, listFiles)).to.equal(before);
      expect(await world.slots()).to.deep.equal([slot]);
    });

    it('keeps a phone out of use that cannot be cleaned, holds up no delete, and cleans it when it is back', async () => {
      const { port, phone } = await world.phone('A1');
      const slot = `127.0.0.1:${port}`;
      world.list({ address: slot, clean: 'uninstall' });
      await (await world.open()).capacity();
      const endpoint = await world.run('ph_1', slot);
      await world.shell(endpoint, 'touch /sdcard/left');
      await phone.shutdown();
      await world.until('ph_1', ({ state }) => state === 'broken');
      const deleting = world.driver.delete('ph_1');
      await world.untilTrue(async () => (await world.driver.inspect('ph_1')).state === 'absent');
      await phone.boot();
      await deleting;
      expect(await world.shell({ host: '127.0.0.1', port }, 'ls /sdcard')).not.to.contain('left');
      await world.untilTrue(async () => (await world.slots()).length === 1);
    });

    it('goes on with a cleaning that a crash has cut off, before anybody gets the phone', async () => {
      const { port, phone } = await world.phone('A1');
      const slot = `127.0.0.1:${port}`;
      world.list({ address: slot, clean: 'uninstall' });
      const before = await world.open();
      await world.shell(await world.run('ph_1', slot), 'touch /sdcard/left');
      await phone.shutdown();
      await world.until('ph_1', ({ state }) => state === 'broken');
      void before.delete('ph_1');
      await world.untilTrue(async () => (await before.inspect('ph_1')).state === 'absent');
      await before.close();
      const after = await world.open();
      expect(await failure(after.create(world.spec('ph_2', slot)))).to.be.instanceOf(PhoneFailure);
      await phone.boot();
      await world.untilTrue(async () => (await world.slots()).length === 1);
      expect(await world.shell({ host: '127.0.0.1', port }, 'ls /sdcard')).not.to.contain('left');
    });
  });

  it('refuses a phone over TCP that would not come back from its factory reset', async () => {
    const { port } = await world.phone('A1');
    world.list({ address: `127.0.0.1:${port}`, clean: 'factory' });
    const driver = await world.open();
    expect(await failure(driver.create(world.spec('ph_1', `127.0.0.1:${port}`)))).to.be.instanceOf(PhoneFailure);
  });
});

async function installFixture(world: AttachedWorld, endpoint: { host: string; port: number }): Promise<void> {
  const apk = readFileSync(new URL('../../../phone/apk/fixtures/fixture-v2.apk', import.meta.url));
  const link = await world.link(endpoint);
  try {
    const options = { timeoutMs: 10_000, maxBytes: 10_000, doing: 'install a test app' };
    await link.push('/data/local/tmp/a.apk', apk, 0o644, options);
    const { stdout } = await link.shell('pm install /data/local/tmp/a.apk; pm list packages -3', options);
    expect(stdout.toString()).to.match(/Success\npackage:/);
  } finally {
    link.close();
  }
}
