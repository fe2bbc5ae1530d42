import { unhandledRejections } from '../../../testing/unhandled-rejections.js';
import { expect } from 'chai';
import { processorMs } from '../../../testing/processor-time.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { Passwords } from './passwords.js';

describe('passwords', () => {
  /** Makes more calls at the same time than may wait, so that each further call is refused. Resolves when all calls have had their turn. */
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

  it('of one address have a share of the queue, and let those of others come first', async () => {
    const passwords = new Passwords();
    const order: string[] = [];
    const of = (address: string) =>
      passwords.hash('x', address).then(
        () => order.push(address),
        (error: unknown) => {
          expect(error).to.include({ kind: 'rate_limited' });
          order.push(`${address} refused`);
        },
      );
    const greedy = Array.from({ length: 200 }, () => of('192.0.2.1'));
    // In the order in which they came, all of the greedy address would be first. Two are hashed at a time, and either may take long.
    await Promise.all(Array.from({ length: 3 }, (_, at) => of(`203.0.113.${at}`)));
    expect(order.filter((address) => address === '192.0.2.1').length).to.be.at.most(11);
    await Promise.all(greedy);
    expect(order.filter((address) => address === '192.0.2.1')).to.have.length(22);
    expect(order.filter((address) => address === '192.0.2.1 refused')).to.have.length(178);
  });

  it('of known accounts cause no unhandled rejection while too many people sign in', async () => {
    const unhandled = await unhandledRejections(async () => {
      const passwords = new Passwords(0);
      const others = crowd(passwords, 2);
      const failure = await failureOf(passwords.verify('not asked', 'x'));
      expect(failure).to.include({ kind: 'rate_limited' });
      await others;
    });
    expect(unhandled).to.deep.equal([]);
  });

  it('of a few addresses that fill the queue give up places for another one', async () => {
    const passwords = new Passwords();
    const refused: string[] = [];
    const of = (address: string) => passwords.hash('x', address).catch(() => refused.push(address));
    const greedy = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5'];
    const others = greedy.flatMap((address) => Array.from({ length: 22 }, () => of(address)));
    await passwords.hash('x', '198.51.100.7');
    await Promise.all(others);
    expect(refused.length).to.be.greaterThan(0);
    expect(refused).to.not.include('198.51.100.7');
  });
});
