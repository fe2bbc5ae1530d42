import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { CallerSchema } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../errors/api-error.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { CallerCache } from './caller-cache.js';

describe('the cache of callers', () => {
  it('keeps good keys through a flood of wrong ones, and no more than so many wrong ones', async () => {
    let asked = 0;
    const cache = new CallerCache({
      clock: new FakeClock(),
      ttlMs: 5_000,
      ask: async (authorization) => {
        asked++;
        if (authorization !== 'good') throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
        return create(CallerSchema, { keyId: 'key_1' });
      },
    });
    await cache.authenticate('good');
    for (let at = 0; at < 10_001; at++) await cache.authenticate(`wrong ${at}`).catch(() => undefined);
    expect(asked).to.equal(10_002);
    expect(await cache.authenticate('good')).to.include({ keyId: 'key_1' });
    await cache.authenticate('wrong 10000').catch(() => undefined);
    expect(asked).to.equal(10_002);
    expect([cache.knows('good'), cache.knows('wrong 0'), cache.knows('wrong 1')]).to.deep.equal([true, false, true]);
  });

  it('looks a caller up anew for another cache, and remembers the result from then on', async () => {
    const clock = new FakeClock();
    let asked = 0;
    const cache = new CallerCache({
      clock,
      ttlMs: 1_000,
      ask: async () => create(CallerSchema, { keyId: `key_${++asked}` }),
    });
    expect(await cache.authenticate('good')).to.include({ keyId: 'key_1' });
    clock.turn(900);
    expect(await cache.authenticateAnew('good')).to.include({ keyId: 'key_2' });
    clock.turn(900);
    expect(await cache.authenticate('good')).to.include({ keyId: 'key_2' });
    clock.turn(100);
    expect(await cache.authenticate('good')).to.include({ keyId: 'key_3' });
  });
});
