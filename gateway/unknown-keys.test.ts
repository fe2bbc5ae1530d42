import { expect } from 'chai';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../kit/errors/api-error.js';
import { startEdge } from '../testing/edge-world.js';

describe('wrong keys at the edge', () => {
  it('cost no look-up once their address has used up its window', async () => {
    let asked = 0;
    const authenticate = async (): Promise<never> => {
      asked++;
      throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
    };
    const world = await startEdge({}, { authenticate, limits: { maxAnonymousRequests: 3 } });
    try {
      const statuses: number[] = [];
      for (let at = 0; at < 6; at++) {
        const response = await world.call('/v1/models', { headers: { authorization: `Bearer wrong${at}` } });
        statuses.push(response.status);
        await response.text();
      }
      expect(statuses).to.deep.equal([401, 401, 401, 429, 429, 429]);
      expect(asked).to.equal(3);
    } finally {
      await world.close();
    }
  });
});
