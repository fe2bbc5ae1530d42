import { expect } from 'chai';
import { ApiError } from '../../kit/errors/api-error.js';
import { closeOf } from './close-code.js';

describe('the close of a WebSocket for an error', () => {
  it('has the registered code where there is one, else 4000 and the status', () => {
    expect(closeOf(new ApiError('unauthorized', 'No key.'))).to.deep.equal({
      code: 1008,
      reason: 'unauthorized: No key.',
    });
    expect(closeOf(new ApiError('not_found', 'Gone.')).code).to.equal(4404);
    expect(closeOf(new ApiError('unavailable', 'Away.')).code).to.equal(1013);
  });

  it('has a reason of 123 bytes at the most, cut between characters', () => {
    for (const text of [
      'x'.repeat(300),
      'é'.repeat(100),
      `x${'é'.repeat(100)}`,
      '💥'.repeat(60),
      `xx${'💥'.repeat(60)}`,
    ]) {
      const { reason } = closeOf(new ApiError('busy', text));
      expect(Buffer.byteLength(reason)).to.be.within(110, 123);
      expect(reason).not.to.include('\ufffd');
      expect(reason.endsWith('…')).to.equal(true);
    }
  });
});
