import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import { systemClock } from '../../kit/async/clock.js';
import { AdbPrivateKey } from '../adb/private-key.js';
import { KeysFile } from '../adb/device/trusted-keys.js';
import type { PhoneDriver } from '../driver.js';
import { openAttachedDriver } from './open.js';
import { AttachedWorld } from './testing/attached-world.js';

describe('openAttachedDriver', () => {
  let world: AttachedWorld;
  let lines: Record<string, unknown>[];

  beforeEach(() => {
    world = new AttachedWorld();
    lines = [];
  });
  afterEach(() => world.end());

  async function open(): Promise<PhoneDriver> {
    const driver = await openAttachedDriver({
      phonesFile: world.phonesFile,
      directory: join(world.directory, 'attached'),
      phoneHost: '127.0.0.1',
      clock: systemClock,
      log: pino(
        { level: 'info' },
        { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
      ),
      connectSocket: (host, port) => connect({ host, port }),
    });
    world.onEnd(() => driver.close());
    await driver.capacity();
    return driver;
  }

  it('makes a key once, keeps it from other users and logs its public half with the fingerprint', async () => {
    world.list();
    await open();
    await open();
    const path = join(world.directory, 'attached', 'adbkey');
    const key = AdbPrivateKey.parse(readFileSync(path, 'utf8'));
    expect(statSync(path).mode & 0o777).to.equal(0o600);
    expect(readFileSync(`${path}.pub`, 'utf8')).to.equal(`${key.publicKey} cloudphone@service\n`);
    const logged = lines.filter((line) => 'fingerprint' in line);
    expect(logged.map((line) => line['fingerprint'])).to.deep.equal([key.fingerprint, key.fingerprint]);
    expect(logged.map((line) => line['made'])).to.deep.equal([true, false]);
    expect(JSON.stringify(lines)).not.to.contain('PRIVATE KEY');
  });

  it('uses the key that a phone is listed with, and reports one that cannot be read', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    writeFileSync(join(world.directory, 'mine'), pem);
    writeFileSync(join(world.directory, 'trusted'), `${AdbPrivateKey.parse(pem).publicKey} me@here\n`);
    const trustedKeys = new KeysFile(join(world.directory, 'trusted'));
    const [first, second] = [await world.phone('A1', { trustedKeys }), await world.phone('A2', { trustedKeys })];
    const entry = (port: number, keyFile: string) => ({
      address: `127.0.0.1:${port}`,
      name: 'Mine',
      model: 'mine',
      clean: 'none',
      key_file: keyFile,
    });
    world.write(JSON.stringify({ phones: [entry(first.port, 'mine'), entry(second.port, 'gone')] }));
    const driver = await open();
    await driver.create(world.spec('ph_1', `127.0.0.1:${first.port}`, 'mine'));
    expect((await driver.start('ph_1')).identity).to.match(/^A1\//);
    const error = await driver.create(world.spec('ph_2', `127.0.0.1:${second.port}`, 'mine')).catch((reason: unknown) => reason); // prettier-ignore
    expect(error)
      .to.be.instanceOf(Error)
      .with.property('message')
      .match(/cannot read the key/);
  });
});
