import { expect } from 'chai';
import { UnderWay } from '../../../kit/async/under-way.js';
import { UPLOADS_OF_ACCOUNT, UPLOADS_OF_ALL } from '../limits.js';
import { assertUploadRoom } from './upload-parts.js';

describe('the room for uploads', () => {
  it('is for four of an account, and for one while half of all are under way', () => {
    const uploads = new UnderWay();
    const begin = (account: string): boolean => {
      try {
        assertUploadRoom(uploads, account);
      } catch {
        return false;
      }
      uploads.begin(account);
      return true;
    };
    const counts = Array.from({ length: UPLOADS_OF_ALL }, (_, at) => {
      let count = 0;
      while (begin(`acc_${at}`)) count++;
      return count;
    });
    const [greedy, others] = [UPLOADS_OF_ALL / 2 / UPLOADS_OF_ACCOUNT, UPLOADS_OF_ALL / 2];
    expect(counts.slice(0, greedy)).to.deep.equal(Array(greedy).fill(UPLOADS_OF_ACCOUNT));
    expect(counts.slice(greedy, greedy + others)).to.deep.equal(Array(others).fill(1));
    expect(counts.at(-1)).to.equal(0);
    expect(() => assertUploadRoom(uploads, 'acc_0')).to.throw('4 uploads of this account');
  });
});
