import { expect } from 'chai';
import { dentV2, sendV2, statV1, statV2, syncFail, syncHeader } from './sync-messages.js';

describe('sync messages', () => {
  it('have the sizes of the protocol', () => {
    expect([syncHeader, statV1, statV2, dentV2, sendV2].map(({ sizeBytes }) => sizeBytes)).to.deep.equal([
      8, 16, 72, 76, 12,
    ]);
  });

  it('are little-endian after their four letters', () => {
    const bytes = statV1.write({ id: 'STAT', mode: 0o100644, sizeBytes: 258, mtimeS: 1 });
    expect(bytes.toString('hex')).to.equal('53544154' + 'a4810000' + '02010000' + '01000000');
    expect(statV1.read(bytes)).to.deep.equal({ id: 'STAT', mode: 0o100644, sizeBytes: 258, mtimeS: 1 });
  });

  it('carry sizes over 4 GiB in version 2', () => {
    const fields = { id: 'STA2', error: 0, dev: 1, ino: 2, mode: 3, nlink: 1, uid: 4, gid: 5, sizeBytes: 5 * 2 ** 30, atimeS: 6, mtimeS: -7, ctimeS: 8 }; // prettier-ignore
    expect(statV2.read(statV2.write(fields))).to.deep.equal(fields);
  });

  it('count the length of a failure in bytes', () => {
    expect(syncFail('é').toString('hex')).to.equal('4641494c02000000c3a9');
  });
});
