import { expect } from 'chai';
import { rangeOf } from './byte-range.js';

describe('the part of a file that a Range header requests', () => {
  it('is the whole file without a header, and for headers that a server may ignore', () => {
    for (const header of [
      undefined,
      '',
      'bytes=-',
      'bytes=0-1,4-5',
      'pages=0-1',
      'bytes=5-2',
      'bytes=a-b',
      'bytes=-1-2',
    ])
      expect(rangeOf(header, 10), header).to.equal(undefined);
  });

  it('begins and ends inside of the file', () => {
    expect(rangeOf('bytes=0-3', 10)).to.deep.equal({ first: 0, bytes: 4 });
    expect(rangeOf(' bytes=4- ', 10)).to.deep.equal({ first: 4, bytes: 6 });
    expect(rangeOf('bytes=4-99999999999999999999', 10)).to.deep.equal({ first: 4, bytes: 6 });
    expect(rangeOf('bytes=-3', 10)).to.deep.equal({ first: 7, bytes: 3 });
    expect(rangeOf('bytes=-30', 10)).to.deep.equal({ first: 0, bytes: 10 });
    expect(rangeOf('bytes=9-9', 10)).to.deep.equal({ first: 9, bytes: 1 });
  });

  it('is refused where the file does not have it', () => {
    for (const header of ['bytes=10-', 'bytes=10-12', 'bytes=-0'])
      expect(rangeOf(header, 10), header).to.equal('unsatisfiable');
    expect(rangeOf('bytes=0-', 0)).to.equal('unsatisfiable');
    expect(rangeOf('bytes=-5', 0)).to.equal('unsatisfiable');
  });
});
