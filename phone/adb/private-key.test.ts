import { spawnSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, publicDecrypt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { AdbPrivateKey } from './private-key.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';

describe('AdbPrivateKey', () => {
  let folder: string;

  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'adbkey-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('has the public half that the real adb writes beside its key', function () {
    const file = join(folder, 'adbkey');
    if (spawnSync('adb', ['keygen', file], { env: { ...process.env, HOME: folder } }).status !== 0)
      skip(this, NEEDS_ADB);
    const key = AdbPrivateKey.parse(readFileSync(file, 'utf8'));
    expect(key.publicKey).to.equal(readFileSync(`${file}.pub`, 'utf8').split(' ')[0]);
  });

  it('signs a token as if it were a SHA-1 digest', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }) as string;
    const signature = AdbPrivateKey.parse(pem).sign(Buffer.alloc(20, 7));
    const signed = publicDecrypt(createPublicKey(privateKey), signature).toString('hex');
    expect(signed).to.equal(`3021300906052b0e03021a05000414${'07'.repeat(20)}`);
  });

  it('offers itself with a name and shows the fingerprint that phones show', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = AdbPrivateKey.parse(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
    expect(key.offer('me@here').toString('latin1')).to.match(/^[A-Za-z0-9+/=]{700} me@here\0$/);
    expect(key.fingerprint).to.match(/^([0-9A-F]{2}:){15}[0-9A-F]{2}$/);
  });

  for (const [what, pem] of Object.entries<() => string>({
    'a key of 1024 bits': () =>
      generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    'a key of another kind': () =>
      generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    'a text that is no key': () => 'hello',
  }))
    it(`refuses ${what}`, () => {
      expect(() => AdbPrivateKey.parse(pem())).to.throw(/^it is not a /);
    });
});
