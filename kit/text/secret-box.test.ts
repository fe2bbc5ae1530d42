import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { SecretBox } from './secret-box.js';

describe('the secret box', () => {
  const box = new SecretBox(randomBytes(32));

  it('opens texts that it sealed, for their place only', () => {
    for (const secret of ['', 'a', 'kennwört ✓', 'x'.repeat(10_000)]) {
      const sealed = box.seal(secret, 'key_1');
      expect(box.open(sealed, 'key_1')).to.equal(secret);
      expect(box.open(sealed, 'key_2')).to.equal(undefined);
      expect(sealed).to.match(/^v1\.[\w-]+$/);
    }
    expect(box.seal('a', 'b')).not.to.equal(box.seal('a', 'b'));
  });

  it('opens nothing else', () => {
    const sealed = box.seal('secret', 'key_1');
    const other = new SecretBox(randomBytes(32));
    expect(other.open(sealed, 'key_1')).to.equal(undefined);
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(box.open(`v1.${changed.toString('base64url')}`, 'key_1'), `byte ${at}`).to.equal(undefined);
    }
    for (const text of ['', 'v1.', 'v1.AAAA', sealed.slice(0, -4), sealed.slice(3), 'secret']) {
      expect(box.open(text, 'key_1'), text).to.equal(undefined);
    }
  });

  it('opens with a second key too, and seals again with the first', () => {
    const [former, next] = [randomBytes(32), randomBytes(32)];
    const sealed = new SecretBox(former).seal('secret', 'key_1');
    const both = new SecretBox(next, former);
    expect(both.open(sealed, 'key_1')).to.equal('secret');
    expect(both.open(sealed, 'key_2')).to.equal(undefined);
    const again = both.sealAgain(sealed, 'key_1') ?? '';
    expect(new SecretBox(next).open(again, 'key_1')).to.equal('secret');
    expect(both.sealAgain(again, 'key_1')).to.equal(undefined);
    expect(both.sealAgain(sealed, 'key_2')).to.equal(undefined);
    expect(both.lookups('a')).to.deep.equal([new SecretBox(next).lookup('a'), new SecretBox(former).lookup('a')]);
  });

  it('makes the same lookup for the same secret and key', () => {
    expect(box.lookup('a'))
      .to.equal(box.lookup('a'))
      .and.to.match(/^[0-9a-f]{64}$/);
    expect(box.lookup('a')).not.to.equal(box.lookup('b'));
    expect(box.lookup('a')).not.to.equal(new SecretBox(randomBytes(32)).lookup('a'));
  });
});
