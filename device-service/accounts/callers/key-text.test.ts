import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import { createKeyText, keyTextOf } from './key-text.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

describe('the text of a key', () => {
  it('ends in the CRC32 of its random characters, as base62', () => {
    for (let n = 0; n < 100; n++) {
      const [, random = '', shown = ''] = /^cp_([A-Za-z0-9]{40})([A-Za-z0-9]{6})$/.exec(createKeyText()) ?? [];
      expect(Array.from(shown).reduce((sum, digit) => sum * 62 + ALPHABET.indexOf(digit), 0)).to.equal(crc32(random));
    }
  });

  it('is taken from a header with the right checksum, and not with another', () => {
    const text = createKeyText();
    expect(keyTextOf(`Bearer ${text}`)).to.equal(text);
    const other = text.endsWith('a') ? 'b' : 'a';
    expect(keyTextOf(`Bearer ${text.slice(0, -1)}${other}`)).to.equal(undefined);
    const first = text.charAt(3) === 'x' ? 'y' : 'x';
    expect(keyTextOf(`Bearer cp_${first}${text.slice(4)}`)).to.equal(undefined);
  });

  it('has no checksum in an older key, of another length', () => {
    for (const length of [40, 45, 47, 80]) {
      const text = `cp_${'a'.repeat(length)}`;
      expect(keyTextOf(`Bearer ${text}`), String(length)).to.equal(text);
    }
    for (const length of [39, 81])
      expect(keyTextOf(`Bearer cp_${'a'.repeat(length)}`), String(length)).to.equal(undefined);
  });
});
