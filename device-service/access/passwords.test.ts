import { expect } from 'chai';
import { processorMs } from '../../testing/processor-time.js';
import { ApiError } from '../../kit/errors.js';
import { Passwords } from './passwords.js';

describe('passwords', () => {
  /** More callers at once than may wait, so that each further one is refused; resolves when all have had their turn. */
  function crowd(passwords: Passwords, size: number): Promise<unknown> {
    return Promise.all(Array.from({ length: size }, () => passwords.hash('x')));
  }

  async function failureOf(work: Promise<unknown>): Promise<unknown> {
    return work.then(
      () => undefined,
      (error: unknown) => error,
    );
  }

  it('match their own hash and no other', async () => {
    const passwords = new Passwords();
    const hash = await passwords.hash('right');
    expect(await passwords.verify(hash, 'right')).to.equal(true);
    expect(await passwords.verify(hash, 'wrong')).to.equal(false);
  });

  it('of unknown accounts are wrong, and are hashed at the same cost', async () => {
    const passwords = new Passwords();
    expect(await passwords.verify(undefined, '')).to.equal(false);
    const hash = await passwords.hash('x');
    const costOf = (stored: string | undefined): Promise<number> =>
      processorMs(async () => {
        for (let at = 0; at < 5; at++) await passwords.verify(stored, 'x');
      });
    const [known, unknown] = [await costOf(hash), await costOf(undefined)];
    expect(unknown).to.be.greaterThan(known / 4);
  });

  it('of unknown accounts are checked again after a moment in which too many people signed in', async () => {
    const passwords = new Passwords(1);
    const others = crowd(passwords, 3);
    const refused = await failureOf(passwords.verify(undefined, 'x'));
    expect(refused).to.be.instanceOf(ApiError).and.include({ kind: 'rate_limited', retryAfterS: 2 });
    await others;
    expect(await passwords.verify(undefined, 'x')).to.equal(false);
  });

  it('of known accounts cause no unhandled rejection while too many people sign in', async () => {
    const unhandled: unknown[] = [];
    const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', onUnhandled);
    try {
      const passwords = new Passwords(0);
      const others = crowd(passwords, 2);
      const failure = await failureOf(passwords.verify('not asked', 'x'));
      expect(failure).to.include({ kind: 'rate_limited' });
      await others;
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).to.deep.equal([]);
    } finally {
      process.off('unhandledRejection', onUnhandled);
    }
  });
});
