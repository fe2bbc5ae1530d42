import { expect } from 'chai';
import { joinPieces } from './join-pieces.js';

describe('pieces of a stream of bytes', () => {
  const lengths = (...given: number[]): number[] =>
    joinPieces(given.map((length) => Buffer.alloc(length))).map(({ length }) => length);

  it('are joined up to 64 KiB, in order and without empty ones', () => {
    expect(joinPieces(['a', '', 'bc', 'd'].map((text) => Buffer.from(text))).map(String)).to.deep.equal(['abcd']);
    expect(lengths()).to.deep.equal([]);
    expect(lengths(0, 0)).to.deep.equal([]);
    expect(lengths(30_000, 30_000, 30_000)).to.deep.equal([60_000, 30_000]);
    expect(lengths(...Array.from({ length: 65_537 }, () => 1))).to.deep.equal([65_536, 1]);
  });

  it('are cut, and not copied, when they are large', () => {
    const large = Buffer.alloc(40_000);
    const joined = joinPieces([Buffer.from('a'), large, Buffer.from('b'), Buffer.from('c')]);
    expect(joined.map(({ length }) => length)).to.deep.equal([1, 40_000, 2]);
    expect(joined[1]?.buffer).to.equal(large.buffer);
    expect(lengths(1024 * 1024 + 24)).to.deep.equal([...Array.from({ length: 16 }, () => 65_536), 24]);
  });
});
