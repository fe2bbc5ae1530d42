import { expect } from 'chai';
import { Failure } from './failure.js';
import { fileFailure, fileFault } from './file-failure.js';

describe('a file that cannot be used', () => {
  const fault = (code: string): Error =>
    Object.assign(new Error(`${code}: something of the system, open '/x'`), { code });

  for (const code of ['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT'])
    it(`is named with what to do about ${code}`, () => {
      const failure = fileFailure('a.yaml', fault(code));
      expect(failure).to.be.instanceOf(Failure);
      expect(failure.message)
        .to.match(/^a\.yaml: .+\. (Check|Give|Change|Make) .+\.$/)
        .and.not.include(code);
    });

  it('keeps every other reason', () => {
    expect(fileFault(fault('EMFILE'))).to.equal("EMFILE: something of the system, open '/x'");
    expect(fileFault(new Error('it is neither WebP, PNG nor JPEG'))).to.equal('it is neither WebP, PNG nor JPEG');
  });
});
