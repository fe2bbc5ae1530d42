import { expect } from 'chai';
import { errorKinds, parseErrorKind } from './api-error.js';

describe('the kind of an error in a message', () => {
  it('is the one that it names', () => {
    for (const kind of Object.keys(errorKinds)) expect(parseErrorKind(kind)).to.equal(kind);
  });

  it('is internal where the message names none, or one that is unknown here', () => {
    for (const word of [undefined, '', 'too_young', 'toString', '__proto__'])
      expect(parseErrorKind(word)).to.equal('internal');
  });
});
