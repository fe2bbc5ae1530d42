import { constants, generateKeyPairSync, privateEncrypt, randomBytes } from 'node:crypto';
import { adbGeneratePublicKey } from '@yume-chan/adb';
import { expect } from 'chai';
import { isSignedBy, parsePublicKey } from './public-key.js';

const SHA1_PREFIX = Buffer.from('3021300906052b0e03021a05000414', 'hex');

function keyPair(modulusLength = 2048) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength });
  const der = privateKey.export({ type: 'pkcs8', format: 'der' });
  const line = Buffer.from(adbGeneratePublicKey(der)).toString('base64');
  const sign = (text: Buffer): Buffer =>
    privateEncrypt({ key: privateKey, padding: constants.RSA_PKCS1_PADDING }, text);
  return { line, sign };
}

describe('ADB public keys', () => {
  const { line, sign } = keyPair();
  const token = randomBytes(20);
  const signature = sign(Buffer.concat([SHA1_PREFIX, token]));

  it('verifies signatures of the key’s owner, with or without a comment on the line', () => {
    for (const text of [line, `${line} user@host`, `${line} user@host\n`, `${line}\tx y z`])
      expect(isSignedBy(parsePublicKey(text)!, token, signature), text).to.equal(true);
  });

  it('refuses another token, another key, another length and bare padding', () => {
    const key = parsePublicKey(line)!;
    expect(isSignedBy(key, randomBytes(20), signature)).to.equal(false);
    expect(isSignedBy(parsePublicKey(keyPair().line)!, token, signature)).to.equal(false);
    expect(isSignedBy(key, token, signature.subarray(1))).to.equal(false);
    expect(isSignedBy(key, token, Buffer.alloc(0))).to.equal(false);
    expect(isSignedBy(key, token, Buffer.alloc(256, 0xff))).to.equal(false);
    expect(isSignedBy(key, token, sign(token))).to.equal(false);
    expect(isSignedBy(key, token, sign(Buffer.concat([SHA1_PREFIX, token, Buffer.from('x')])))).to.equal(false);
  });

  it('parses no other keys and no garbage', () => {
    const bytes = Buffer.from(line, 'base64');
    const changed = (change: (copy: Buffer) => unknown): string => {
      const copy = Buffer.from(bytes);
      change(copy);
      return copy.toString('base64');
    };
    for (const text of [
      '',
      'ssh-rsa AAAA',
      line.slice(0, -8),
      `${line}AAAA`,
      changed((copy) => copy.writeUInt32LE(32)),
      changed((copy) => copy.writeUInt32LE(5, 520)),
      changed((copy) => copy.fill(0, 8, 264)),
      'A'.repeat(100_000),
    ])
      expect(parsePublicKey(text), text.slice(0, 40)).to.equal(undefined);
  });
});
